// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// A property, and a call that is not inlined, may set it: what is read behind them, and
// in a branch that leaves a scope around it, is not known yet.

builtin.module {
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, n = 0 : i64, size = #dycl.property<@size>}
  func.func @forward(%x: !torch.vtensor<[2],f32>, %f: !dycl.value, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "f", "p"]} {
    %c = dycl.constant @"made Cell"
    dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %s = dycl.getattr %c "size"
    %a = dycl.getattr %c "n"
    dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %y = dycl.call %f(%c)
    %b = dycl.getattr %c "n"
    dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    %r = dycl.scope "s" -> (!dycl.value) {
      dycl.if %p : !torch.bool {
        dycl.setattr %c "n", %a
        dycl.leave "s" %a
      }
      %d = dycl.getattr %c "n"
      %g = dycl.call %f(%d)
      dycl.leave "s" %g
    }
    %e = dycl.getattr %c "n"
    dycl.return %a, %b, %r, %e
  }
}

// CHECK:      [[A:%.*]] = dycl.getattr %c "n"
// CHECK:      dycl.call %f(%c)
// CHECK-NEXT: [[B:%.*]] = dycl.getattr %c "n"
// CHECK:      dycl.if %p
// CHECK-NEXT: dycl.setattr %c "n", [[A]]
// CHECK:      dycl.call %f(%x)
// CHECK:      [[E:%.*]] = dycl.getattr %c "n"
// CHECK-NEXT: dycl.return [[A]], [[B]], {{%.*}}, [[E]]
