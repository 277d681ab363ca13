// RUN: dycl-opt %s --dycl-split-tuples | filecheck %s

// CHECK:      %{{.*}}, %[[A:.+]], %[[B:.+]] = dycl.if %p
// CHECK:        dycl.yield %{{.+}}, %x, %y
// CHECK:      %[[T:.+]] = dycl.tuple(%[[A]], %[[B]])
// CHECK-NEXT: dycl.return %[[T]]
func.func @forward(%p: !dycl.value, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry, dycl.params = ["p", "x", "y"]} {
  %t = dycl.if %p -> (!dycl.value) {
    %u = dycl.tuple(%x, %y)
    dycl.yield %u
  } else {
    %v = dycl.constant #dycl.tuple<[1 : i64, 2.000000e+00 : f64]>
    dycl.yield %v
  } {test = "p"}
  dycl.return %t
}
