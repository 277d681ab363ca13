// RUN: dycl-opt --dycl-roll-loops=max-unrolled=2 --dycl-roll-loops=max-unrolled=2 --dycl-unroll-loops %s | filecheck %s

// Start, stop and step of the range are those of the counter; what was rolled is not
// unrolled, and a shorter loop is. Twice is once.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.call
// CHECK-NEXT:    %[[BEGIN:.*]] = dycl.constant 7 : i64
// CHECK-NEXT:    %[[END:.*]] = dycl.constant 0 : i64
// CHECK-NEXT:    %[[STEP:.*]] = dycl.constant -2 : i64
// CHECK:         dycl.while carry(%i : !torch.int = %[[BEGIN]] : !torch.int, %{{.*}} = %x) {
// CHECK-NEXT:      dycl.compare gt %i, %[[END]]
// CHECK:           %[[I:.*]] = dycl.binary add %i_1, %[[STEP]]
// CHECK:           dycl.binary mul %{{.*}}, %i_1
// CHECK:           dycl.yield %[[I]],
// CHECK-NEXT:    } {test = "i in range(7, 0, -2)", rolled}
// CHECK-NOT:     dycl.while
// CHECK-COUNT-2: dycl.binary add
// CHECK-NOT:     dycl.for
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %seven = dycl.constant 7 : i64
  %zero = dycl.constant 0 : i64
  %step = dycl.constant -2 : i64
  %many = dycl.call %range(%seven, %zero, %step)
  %y = dycl.for %i in %many carry(%a = %x) {
    %b = dycl.binary mul %a, %i
    dycl.yield %b
  } {test = "i in range(7, 0, -2)"}
  %two = dycl.constant 2 : i64
  %few = dycl.call %range(%two)
  %z = dycl.for %i in %few carry(%a = %y) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %z
}
