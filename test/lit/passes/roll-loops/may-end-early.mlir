// RUN: dycl-opt --dycl-roll-loops=max-unrolled=24 %s | filecheck %s
// RUN: dycl-opt --dycl-roll-loops=max-unrolled=40 %s | filecheck %s --check-prefix=MORE

// Four iterations of which the data may end each count as 32; a test of the number, and
// items of what may hold anything, count as nothing.

// CHECK-LABEL:      func.func @forward
// CHECK-COUNT-1:    dycl.while
// CHECK-COUNT-2:    dycl.for
// MORE-COUNT-3:     dycl.for
func.func @forward(%p: !torch.bool, %x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %four = dycl.constant 4 : i64
  %numbers = dycl.call %range(%four)
  %two = dycl.constant 2 : i64
  %a = dycl.for %i in %numbers carry(%c = %x) {
    dycl.if %p : !torch.bool {
      dycl.break %c
    }
    dycl.yield %c
  }
  %b = dycl.for %i in %numbers carry(%c = %a) {
    %q = dycl.compare eq %i, %two
    dycl.if %q {
      dycl.break %c
    }
    dycl.yield %c
  }
  %d = dycl.for %i in %numbers carry(%c = %b) {
    %layers = dycl.getattr %x "layers"
    %layer = dycl.subscript %layers[%i]
    dycl.if %p : !torch.bool {
      dycl.break %layer
    }
    dycl.yield %layer
  }
  dycl.return %d
}
