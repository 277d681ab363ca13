// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Nobody asks for the attribute before the list is changed and read; the change stays,
// for whoever asks then. Behind a call that is not in sight nothing is known of it.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.setattr %m "held", %l
// CHECK:         dycl.invoke %l "append"(%y)
// CHECK-NOT:     dycl.subscript
// CHECK:         dycl.call %f()
// CHECK-NEXT:    %b = dycl.subscript %l[%one]
// CHECK-NEXT:    dycl.setattr %m "held", %none
// CHECK-NEXT:    dycl.return %y, %b
dycl.object @"" "m.Net" {held = #dycl.none}
func.func @forward(%x: !torch.vtensor<[2],f32>, %y: !torch.vtensor<[2],f32>, %f: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %none = dycl.constant #dycl.none
  %one = dycl.constant 1 : i64
  %l = dycl.list(%x) : (!torch.vtensor<[2],f32>) -> !dycl.value
  dycl.setattr %m "held", %l
  %n = dycl.invoke %l "append"(%y) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %a = dycl.subscript %l[%one]
  %r = dycl.call %f()
  %b = dycl.subscript %l[%one]
  dycl.setattr %m "held", %none
  dycl.return %a, %b
}
