// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s
// REQUIRES: torch

// What the first iteration gives is not known by now: it goes over a list, which other
// passes unroll. It is peeled, to see, and a later round peels more if it has to.

// CHECK:      %c = dycl.if %is
// CHECK:      dycl.while carry(%h = %c
// CHECK:      dycl.peeled_to_see = 1 : i64}
func.func @forward(%x: !torch.vtensor<[3,4],f32>, %n: !dycl.value) attributes {dycl.entry, dycl.params = ["x", "n"]} {
  %none = dycl.constant #dycl.none
  %zero = dycl.constant 0 : i64
  %r, %u = dycl.while carry(%h = %none, %i = %zero) {
    %p = dycl.compare lt %i, %n
    dycl.condition %p, %h, %i
  } do (%b, %j) {
    %none_1 = dycl.constant #dycl.none
    %is = dycl.compare is %b, %none_1
    %c = dycl.if %is -> (!dycl.value) {
      %items = dycl.list(%x) : (!torch.vtensor<[3,4],f32>) -> !dycl.value
      %item = dycl.invoke %items "pop"()
      dycl.yield %item
    } else {
      %d = dycl.binary add %b, %x : (!dycl.value, !torch.vtensor<[3,4],f32>) -> !dycl.value
      dycl.yield %d
    }
    %one = dycl.constant 1 : i64
    %k = dycl.binary add %j, %one
    dycl.yield %c, %k
  }
  dycl.return %r
}
