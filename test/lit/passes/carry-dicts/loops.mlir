// RUN: dycl-opt --dycl-carry-dicts %s | filecheck %s

// The loop carries a tuple of the values; in it and behind it there is a dict again. A
// path that leaves the dict as it is has the tuple that came in.

// CHECK-LABEL: func.func @forward
// CHECK:         [[T:%.*]] = dycl.tuple(%x, %y)
// CHECK:         [[U:%.*]] = dycl.while carry([[A:%.*]] = [[T]])
// CHECK:           dycl.condition {{%.*}}, [[A]]
// CHECK:         do([[B:%.*]]) {
// CHECK:           [[H:%.*]] = dycl.subscript [[B]]
// CHECK:           [[C:%.*]] = dycl.subscript [[B]]
// CHECK:           [[D:%.*]] = dycl.dict(
// CHECK:           dycl.if
// CHECK:             dycl.continue [[B]]
// CHECK:           dycl.subscript [[D]]
// CHECK:           [[V:%.*]] = dycl.tuple(
// CHECK:           dycl.yield [[V]]
// CHECK:         dycl.subscript [[U]]
// CHECK:         dycl.subscript [[U]]
// CHECK:         [[R:%.*]] = dycl.dict(
// CHECK:         dycl.return [[R]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %h = dycl.constant "h"
  %c = dycl.constant "c"
  %d = dycl.dict(%h, %x, %c, %y)
  %r = dycl.while carry(%a = %d) {
    %p = dycl.to_bool %x
    dycl.condition %p, %a
  } do(%b) {
    %q = dycl.to_bool %y
    dycl.if %q {
      dycl.continue %b
    }
    %v = dycl.subscript %b[%h]
    %e = dycl.dict(%h, %y, %c, %v)
    dycl.yield %e
  }
  dycl.return %r
}
