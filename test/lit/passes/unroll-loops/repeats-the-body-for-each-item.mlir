// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// Each iteration works on its item and on what the one before left.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.for
// CHECK:         [[I0:%.*]] = dycl.constant 0 : i64
// CHECK-NEXT:    [[B0:%.*]] = dycl.binary add %x, [[I0]]
// CHECK-NEXT:    [[I1:%.*]] = dycl.constant 1 : i64
// CHECK-NEXT:    [[B1:%.*]] = dycl.binary add [[B0]], [[I1]]
// CHECK-NEXT:    dycl.return [[B1]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %n0 = dycl.constant 2 : i64
  %items = dycl.call %range(%n0)
  %y = dycl.for %i in %items carry(%a = %x) {
    %b = dycl.binary add %a, %i
    dycl.yield %b
  }
  dycl.return %y
}
