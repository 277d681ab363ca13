// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// An object that is inside of itself is not returned.

builtin.module {
  dycl.object @"" "m.Net" {}
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, n = 0 : i64, size = #dycl.property<@size>}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %c = dycl.constant @"made Cell"
    dycl.setattr %c "n", %c
    dycl.return %c
  }
}

// CHECK: dycl.unsupported "DY301" "an object that holds itself is returned"
