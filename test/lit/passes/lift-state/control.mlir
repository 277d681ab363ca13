// RUN: dycl-opt --dycl-lift-state %s | filecheck %s

// Branches give what they set, loops carry it, exits hand on what it is there.

// CHECK:      %{{.*}} = dycl.if %p
// CHECK:        dycl.return
// CHECK:      %[[A:.*]] = dycl.scope "s"
// CHECK:        dycl.leave "s" %one
// CHECK:      %[[B:.*]] = dycl.while carry(%[[C:.*]] = %[[A]]) {
// CHECK-NEXT:   dycl.condition %p, %[[C]]
// CHECK-NEXT: } do(%[[D:.*]]) {
// CHECK-NEXT:   %[[E:.*]] = dycl.binary add %[[D]], %one
// CHECK-NEXT:   dycl.if %p {
// CHECK-NEXT:     dycl.break %[[E]]
// CHECK:        dycl.yield %[[E]]
// CHECK:      dycl.tuple(%[[B]])
dycl.object @a "m.Cell" {n = 0 : i64}
func.func @forward(%p: !dycl.value) attributes {dycl.entry, dycl.params = ["p"]} {
  %a = dycl.constant @a
  %one = dycl.constant 1 : i64
  dycl.if %p {
    dycl.setattr %a "n", %one
    dycl.return %p
  }
  dycl.scope "s" {
    dycl.setattr %a "n", %one
    dycl.leave "s"
  }
  dycl.while {
    dycl.condition %p
  } do {
    %n = dycl.getattr %a "n"
    %m = dycl.binary add %n, %one
    dycl.setattr %a "n", %m
    dycl.if %p {
      dycl.break
    }
  }
  dycl.return %p
}
