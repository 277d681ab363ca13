// RUN: dycl-opt -p normalise %s | filecheck %s

// The list of each iteration has an item for each of the one before it: two.

// CHECK:      dycl.while carry({{.*}} = %a : {{.*}}, {{.*}} = %b : {{.*}}) {
// CHECK:      } do([[C:%.*]], [[D:%.*]]) {
// CHECK:        [[E:%.*]] = dycl.binary add [[C]], %a
// CHECK:        [[F:%.*]] = dycl.binary add [[D]], %a
// CHECK-NEXT:   dycl.yield [[E]], [[F]]
// CHECK-NOT:  dycl.unguessed
func.func @forward(
    %a: !torch.vtensor<[3],f32>, %b: !torch.vtensor<[3],f32>, %p: !torch.bool)
    attributes {dycl.entry} {
  %l = dycl.list(%a, %b)
    : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> !dycl.value
  %r = dycl.while carry(%u = %l) {
    dycl.condition %p, %u : (!torch.bool, !dycl.value) -> ()
  } do(%v) {
    %new = dycl.list()
    dycl.for %i in %v {
      %s = dycl.binary add %i, %a
        : (!dycl.value, !torch.vtensor<[3],f32>) -> !dycl.value
      %n = dycl.invoke %new "append"(%s)
    }
    dycl.yield %new
  }
  %stack = dycl.constant #dycl.global<"torch.stack">
  %y = dycl.call %stack(%r)
  dycl.return %y
}
