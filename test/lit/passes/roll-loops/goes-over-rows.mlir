// RUN: dycl-opt --dycl-roll-loops=max-unrolled=2 %s | filecheck %s

// The rows of a tensor: the body begins with a subscript. Two rows are left alone.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[END:.*]] = dycl.constant 3 : i64
// CHECK:         dycl.while
// CHECK-NEXT:      dycl.compare lt %{{.*}}, %[[END]]
// CHECK:           %[[ROW:.*]] = dycl.subscript %t[%[[I:.*]]] :
// CHECK:           %[[PAIR:.*]] = dycl.tuple(%[[I]], %[[ROW]]) :
// CHECK:           dycl.setattr %[[PAIR]] "seen", %[[PAIR]]
// CHECK:         rolled
// CHECK:         dycl.for %{{.*}} in %u
func.func @forward(%t: !torch.vtensor<[3,4],f32>, %u: !torch.vtensor<[2,4],f32>) attributes {dycl.entry} {
  %enumerate = dycl.constant #dycl.global<"builtins.enumerate">
  %items = dycl.call %enumerate(%t) : (!dycl.value, !torch.vtensor<[3,4],f32>) -> !dycl.value
  dycl.for %item in %items {
    dycl.setattr %item "seen", %item
  }
  dycl.for %item in %u : !torch.vtensor<[2,4],f32> {
    dycl.setattr %item "seen", %item
  }
  dycl.return
}
