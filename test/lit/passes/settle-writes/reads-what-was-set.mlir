// RUN: dycl-opt %s --dycl-settle-writes | filecheck %s

// A read is what was set in front of it, also inside of an `if`. Behind an `if` or loop
// that sets the attribute, or a call that may, it stays a read.

builtin.module {
  dycl.object @"" "m.Net" {a = #dycl.none, b = #dycl.none, c = #dycl.none}
  func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool, %f: !dycl.value) attributes {dycl.entry, dycl.params = ["x", "p", "f"]} {
    %m = dycl.constant @""
    %a = dycl.constant "a"
    dycl.setattr %m "a", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.setattr %m "b", %a
    dycl.if %p : !torch.bool {
      %r0 = dycl.getattr %m "a"
      dycl.setattr %m "b", %r0
      dycl.yield
    } else {
      %r1 = dycl.getattr %m "b"
      dycl.setattr %m "c", %r1
      dycl.yield
    }
    %r2 = dycl.getattr %m "a"
    %r3 = dycl.getattr %m "b"
    dycl.setattr %m "b", %r2
    %r4 = dycl.call %f(%r3)
    %r5 = dycl.getattr %m "b"
    dycl.return %r4, %r5
  }
}

// CHECK:      dycl.if
// CHECK-NEXT:   dycl.setattr %m "b", %x
// CHECK-NEXT: } else {
// CHECK-NEXT:   dycl.setattr %m "c", %a
// CHECK-NEXT: }
// CHECK-NEXT: %r3 = dycl.getattr %m "b"
// CHECK-NEXT: dycl.setattr %m "b", %x
// CHECK-NEXT: %r4 = dycl.call %f(%r3)
// CHECK-NEXT: %r5 = dycl.getattr %m "b"
// CHECK-NEXT: dycl.return %r4, %r5
