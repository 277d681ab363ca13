// RUN: dycl-opt %s --dycl-settle-writes | filecheck %s

// A call that is not inlined yet may read the attribute, and so may a handler.

builtin.module {
  dycl.object @"" "m.Net" {run = #dycl.function<@m.Net.run>, count = 1 : i64}
  func.func private @m.Net.run(%self: !dycl.value) -> !dycl.value {
    dycl.return %self
  }
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %m = dycl.constant @""
    %run = dycl.constant #dycl.function<@m.Net.run>
    dycl.setattr %m "count", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %y = dycl.call %run(%m)
    dycl.setattr %m "count", %y
    dycl.try {
      dycl.setattr %m "count", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
      dycl.setattr %m "count", %y
      dycl.yield
    } except "Exception" {
      dycl.yield
    }
    dycl.return %y
  }
}

// CHECK:      dycl.setattr %m "count", %x
// CHECK:      dycl.setattr %m "count", %y
// CHECK:      dycl.try
// CHECK-NEXT: dycl.setattr %m "count", %x
// CHECK-NEXT: dycl.setattr %m "count", %y
