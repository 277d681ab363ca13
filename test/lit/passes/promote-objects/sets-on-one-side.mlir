// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// What one side of a branch sets is a result of it, and a loop carries what it sets.

builtin.module {
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, n = 0 : i64, size = #dycl.property<@size>}
  func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "p"]} {
    %c = dycl.constant @"made Cell"
    dycl.if %p : !torch.bool {
      dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    }
    dycl.while {
      %n = dycl.getattr %c "n"
      %go = dycl.to_bool %n
      dycl.condition %go
    } do {
      %m = dycl.getattr %c "n"
      %next = dycl.invoke %m "neg"()
      dycl.setattr %c "n", %next
    }
    %last = dycl.getattr %c "n"
    dycl.return %last
  }
}

// CHECK:      [[ONE:%.*]] = dycl.if %p
// CHECK-NEXT: dycl.yield %x
// CHECK:      [[LAST:%.*]] = dycl.while carry([[NOW:%.*]] = [[ONE]])
// CHECK-NEXT: dycl.to_bool [[NOW]]
// CHECK:      dycl.return [[LAST]]
