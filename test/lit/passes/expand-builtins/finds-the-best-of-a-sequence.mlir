// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Its place is found on the way: nothing is compared for equality.

// CHECK-NOT: invoke
// CHECK:     dycl.raise "builtins.ValueError"
// CHECK:     %[[BEST:.+]], %i = dycl.for %[[AT:.+]] in
// CHECK:       dycl.compare gt
// CHECK:       dycl.if
// CHECK:         dycl.yield %{{.+}}, %[[AT]]
func.func @forward(%l: !dycl.sequence<!torch.float>) attributes {dycl.entry} {
  %max = dycl.constant #dycl.global<"builtins.max">
  %m = dycl.call %max(%l) : (!dycl.value, !dycl.sequence<!torch.float>) -> !dycl.value
  %i = dycl.invoke %l "index"(%m) : (!dycl.sequence<!torch.float>, !dycl.value) -> !dycl.value
  dycl.return %i
}
