// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// A call that is not inlined cannot get at an object that was handed to nobody: what was
// set is read behind it, and what a branch with such a call sets is a result.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.invoke %v "to"()
// CHECK-NEXT:    dycl.if %p : !torch.bool -> (!dycl.value)
// CHECK-NEXT:      dycl.invoke %v "to"()
// CHECK-NEXT:      dycl.yield [[Z:%.*]] :
// CHECK:           dycl.yield %x :
// CHECK-NOT:     dycl.setattr {{.*}} "n"
// CHECK-NOT:     dycl.getattr {{.*}} "n"
// The other one was handed to the call.
// CHECK:         dycl.setattr %{{.*}} "m", %x
// CHECK:         dycl.invoke %v "to"(%{{.*}})
// CHECK:         [[M:%.*]] = dycl.getattr %{{.*}} "m"
// CHECK:         dycl.return %{{.*}}, [[M]]
builtin.module {
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"], to = #dycl.function<@to>}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, to = #dycl.function<@to>}
  dycl.object @"made Cell_1" "m.Cell" {__made__ = true, to = #dycl.function<@to>}
  func.func @forward(%x: !torch.vtensor<[2],f32>, %v: !dycl.value, %p: !torch.bool, %z: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x", "v", "p", "z"]} {
    %c = dycl.constant @"made Cell"
    dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %y = dycl.invoke %v "to"()
    dycl.if %p : !torch.bool {
      %w = dycl.invoke %v "to"()
      dycl.setattr %c "n", %z : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    }
    %n = dycl.getattr %c "n"
    %d = dycl.constant @"made Cell_1"
    dycl.setattr %d "m", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %u = dycl.invoke %v "to"(%d)
    %m = dycl.getattr %d "m"
    dycl.return %n, %m
  }
}
