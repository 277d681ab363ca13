// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// What the model holds is there in the next call; an object that was made is not. Nor
// is one returned that is inside of itself.

builtin.module {
  dycl.object @"" "m.Net" {}
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, n = 0 : i64, size = #dycl.property<@size>}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %m = dycl.constant @""
    %c = dycl.constant @"made Cell"
    dycl.setattr %c "n", %c
    dycl.setattr %m "last", %c
    dycl.return %c
  }
}

// CHECK:     dycl.unsupported "DY206" "an object that is made while the network runs is kept in the model"
// CHECK-NOT: dycl.setattr {{.*}} "last"
// CHECK:     dycl.unsupported "DY301" "an object that holds itself is returned"
