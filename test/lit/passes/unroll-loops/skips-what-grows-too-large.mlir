// RUN: dycl-opt -p 'dycl-unroll-loops{max-ops=20}' %s | filecheck %s
// RUN: dycl-opt -p 'dycl-unroll-loops{max-ops=60}' %s | filecheck %s --check-prefix=ENOUGH

// CHECK-LABEL:  func.func @forward
// CHECK:        dycl.for
// ENOUGH-NOT:   dycl.for
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %ten = dycl.constant 10 : i64
  %numbers = dycl.call %range(%ten)
  %a = dycl.for %i in %numbers carry(%c = %x) {
    %b = dycl.binary add %c, %i
    dycl.yield %b
  }
  dycl.return %a
}
