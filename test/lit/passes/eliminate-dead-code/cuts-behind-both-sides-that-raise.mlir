// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:      dycl.if %p {
// CHECK-NEXT:   dycl.raise "builtins.ValueError"()
// CHECK-NEXT: } else {
// CHECK-NEXT:   dycl.return %p
// CHECK-NEXT: }
// CHECK-NEXT: dycl.unreachable
func.func @forward(%p: !dycl.value) attributes {dycl.entry} {
  dycl.if %p {
    dycl.raise "builtins.ValueError"()
  } else {
    dycl.return %p
  }
  dycl.effect "builtins.print"(%p)
  dycl.return %p
}
