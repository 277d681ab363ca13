// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// What was set is read by any name of the object; before that the class's default. With
// nothing left that reads, the writes go.

builtin.module {
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, n = 0 : i64, size = #dycl.property<@size>}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %c = dycl.constant @"made Cell"
    %a = dycl.getattr %c "n"
    dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %again = dycl.constant @"made Cell"
    %b = dycl.getattr %again "n"
    dycl.return %a, %b
  }
}

// CHECK:      %a = dycl.constant 0 : i64
// CHECK-NOT:  dycl.setattr
// CHECK:      dycl.return %a, %x
