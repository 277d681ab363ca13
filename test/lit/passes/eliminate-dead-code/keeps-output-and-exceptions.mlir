// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// What a run writes or raises is needed, wherever it stands; a text that nobody writes
// is not.

// CHECK:      %print = dycl.constant #dycl.global<"builtins.print">
// CHECK-NEXT: %a = dycl.call %print(%p)
// CHECK-NEXT: dycl.if %p {
// CHECK-NEXT:   dycl.effect "builtins.print"(%p)
// CHECK-NEXT: }
// CHECK-NEXT: dycl.for %i in %xs {
// CHECK-NEXT:   dycl.if %p {
// CHECK-NEXT:     dycl.raise "builtins.ValueError"()
// CHECK-NEXT:   }
// CHECK:      dycl.scope "f" {
// CHECK-NEXT:   dycl.effect "builtins.print"()
// CHECK-NEXT:   dycl.leave "f"
// CHECK-NEXT: }
// CHECK-NEXT: dycl.return %p
func.func @forward(%p: !dycl.value, %xs: !dycl.value) attributes {dycl.entry} {
  %print = dycl.constant #dycl.global<"builtins.print">
  %a = dycl.call %print(%p)
  %unused = dycl.format "{}"(%p)
  dycl.if %p {
    dycl.effect "builtins.print"(%p)
  }
  dycl.for %i in %xs {
    dycl.if %p {
      dycl.raise "builtins.ValueError"()
    }
    dycl.yield
  }
  dycl.scope "f" {
    dycl.effect "builtins.print"()
    dycl.leave "f"
  }
  dycl.return %p
}
