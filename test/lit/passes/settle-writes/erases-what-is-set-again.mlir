// RUN: dycl-opt %s --dycl-settle-writes | filecheck %s

// The list is held for one call only. What is read between, or what an exit between
// leaves as it is, stays.

builtin.module {
  dycl.object @"" "m.Net" {count = 1 : i64, held = #dycl.none, last = #dycl.none}
  func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool, %o: !dycl.value) attributes {dycl.entry, dycl.params = ["x", "p", "o"]} {
    %m = dycl.constant @""
    %before = dycl.getattr %m "held"
    %l = dycl.list()
    dycl.setattr %m "held", %l
    dycl.setattr %m "count", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %y = dycl.binary add %x, %x : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.if %p : !torch.bool {
      %n = dycl.getattr %o "count"
      dycl.yield
    } else {
      dycl.yield
    }
    dycl.setattr %m "held", %before
    dycl.setattr %m "count", %y : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.setattr %m "last", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.if %p : !torch.bool {
      dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
    } else {
      dycl.yield
    }
    dycl.setattr %m "last", %y : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
  }
}

// CHECK-NOT:  "held", %l
// CHECK:      dycl.setattr %m "count", %x
// CHECK:      dycl.setattr %m "held", %before
// CHECK-NEXT: dycl.setattr %m "count", %y
// CHECK-NEXT: dycl.setattr %m "last", %x
// CHECK:      dycl.setattr %m "last", %y
