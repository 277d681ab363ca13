// RUN: dycl-opt %s --dycl-promote-objects | filecheck %s

// An object that is returned, in a tuple or another object, is a record of what it has.

builtin.module {
  dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"]}
  dycl.object @"made Cell" "m.Cell" {__made__ = true, n = 0 : i64, size = #dycl.property<@size>}
  dycl.object @"made Cell_1" "m.Cell" {__made__ = true}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %c = dycl.constant @"made Cell"
    %o = dycl.constant @"made Cell_1"
    dycl.setattr %o "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
    dycl.setattr %c "inner", %o
    %t = dycl.tuple(%c, %x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
    dycl.return %t
  }
}

// CHECK:      [[N:%.*]] = dycl.tuple(%x)
// CHECK-NEXT: [[INNER:%.*]] = dycl.record [[N]] as #dycl.record_type<@"class m.Cell", "object", ["n"]>
// CHECK-NEXT: [[I:%.*]] = dycl.tuple([[INNER]])
// CHECK-NEXT: [[OUTER:%.*]] = dycl.record [[I]] as #dycl.record_type<@"class m.Cell", "object", ["inner"]>
// CHECK-NEXT: [[T:%.*]] = dycl.tuple([[OUTER]], %x)
// CHECK-NEXT: dycl.return [[T]]
