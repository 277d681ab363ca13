// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// An object whose attributes are set to constants, and that the model keeps, is one of
// the model's.

// CHECK:      dycl.object @"made Level" "m.Level" {__kept__ = true, high = 8 : i64, low = 1 : i64}
// CHECK:      dycl.setattr %{{.*}} "level", %{{.*}}
// CHECK-NOT:  dycl.setattr {{.*}} "low"
// CHECK:      dycl.return
builtin.module {
  dycl.object @"" "m.Net" {level = #dycl.none}
  dycl.object @"class m.Level" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Level" "m.Level" {__made__ = true}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %m = dycl.constant @""
    %level = dycl.constant @"made Level"
    %one = dycl.constant 1 : i64
    %eight = dycl.constant 8 : i64
    dycl.setattr %level "high", %eight
    dycl.setattr %m "level", %level
    dycl.setattr %level "low", %one
    dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
  }
}
