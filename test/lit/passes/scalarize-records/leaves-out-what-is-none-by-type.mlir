// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// A mapping has no entry for a field whose type says that it is None, though its value
// is no constant yet. One that may be None leaves open which entries there are.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.constant "a"
// CHECK-NEXT:    [[D:%.*]] = dycl.dict([[A]], %one)
// CHECK-NEXT:    %n = dycl.call %len([[D]])
// CHECK:         %m = dycl.call %len(%maybe)
func.func @forward(%x: !dycl.value, %o: !torch.optional<int>) attributes {dycl.entry} {
  %len = dycl.constant #dycl.global<"builtins.len">
  %none = dycl.getattr %x "hidden" : (!dycl.value) -> !torch.none
  %one = dycl.constant 1 : i64
  %fields = dycl.tuple(%one, %none) : (!dycl.value, !torch.none) -> !dycl.value
  %out = dycl.record %fields as #dycl.record_type<@"class m.Out", "mapping", ["a", "b"]>
  %n = dycl.call %len(%out)
  %open = dycl.tuple(%one, %o) : (!dycl.value, !torch.optional<int>) -> !dycl.value
  %maybe = dycl.record %open as #dycl.record_type<@"class m.Out", "mapping", ["a", "b"]>
  %m = dycl.call %len(%maybe)
  %r = dycl.tuple(%n, %m)
  dycl.return %r
}

dycl.object @"class m.Out" "builtins.type" {}
