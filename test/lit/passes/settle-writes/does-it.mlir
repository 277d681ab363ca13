// RUN: dycl-opt %s --dycl-settle-writes | filecheck %s

// What the entry function notes as unchanging is set only to what it is; the others may
// have another value by now.

builtin.module {
  dycl.object @"" "m.Net" {causal = true, count = 1 : i64, mode = "a", other = true}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.unchanging = ["causal", "mode"]} {
    %m = dycl.constant @""
    %t = dycl.constant true
    %b = dycl.constant "b"
    dycl.setattr %m "causal", %t
    dycl.setattr %m "mode", %b
    dycl.setattr %m "other", %t
    dycl.setattr %m "causal", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
  }
}

// CHECK:      dycl.constant "b"
// CHECK-NEXT: dycl.setattr {{.*}} "mode"
// CHECK-NEXT: dycl.setattr {{.*}} "other"
// CHECK-NEXT: dycl.setattr {{.*}} "causal", %x
// CHECK-NEXT: dycl.return
