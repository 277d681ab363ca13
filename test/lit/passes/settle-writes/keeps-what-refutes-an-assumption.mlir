// RUN: dycl-opt %s --dycl-settle-writes | filecheck %s

// Where `total` is assumed not to change, `None + x` raises: what follows is never run,
// and the first write is all that tells that the assumption is wrong.

builtin.module attributes {dycl.changing = ["last"]} {
  dycl.object @"" "m.Net" {total = #dycl.none, last = #dycl.none}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %m = dycl.constant @""
    %none = dycl.constant #dycl.none -> !torch.none
    dycl.setattr %m "total", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.setattr %m "last", %none : (!dycl.value, !torch.none) -> ()
    %sum = dycl.inplace add %none, %x : (!torch.none, !torch.vtensor<[2],f32>) -> !dycl.value
    dycl.setattr %m "total", %sum
    dycl.setattr %m "last", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
  }
}

// CHECK:      dycl.setattr %m "total", %x
// CHECK-NOT:  dycl.setattr %m "last", %none
// CHECK:      dycl.setattr %m "total", %sum
// CHECK-NEXT: dycl.setattr %m "last", %x
