// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// One of two records of a class is a record of fields, each one of two.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[S:.*]] = dycl.select %p, %x, %y {test = "x > 0"}
// CHECK:         %[[T:.*]] = dycl.tuple(%[[S]], %x)
// CHECK-NEXT:    %[[R:.*]] = dycl.record %[[T]] as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
// CHECK-NEXT:    dycl.return %[[R]]
func.func @forward(%x: !dycl.value, %y: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %one = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
  %u = dycl.tuple(%y, %x)
  %two = dycl.record %u as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
  %r = dycl.select %p, %one, %two {test = "x > 0"} : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  dycl.return %r
}

dycl.object @"class m.Pair" "builtins.type" {}
