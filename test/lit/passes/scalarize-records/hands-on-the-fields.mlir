// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// Both sides give a record of one class: the branch gives its fields.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.tuple(%x, %x)
// CHECK:         dycl.yield %[[A]]
// CHECK:         %[[B:.*]] = dycl.tuple(%p, %x)
// CHECK:         dycl.yield %[[B]]
// CHECK:         %[[R:.*]] = dycl.record %{{.*}} as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
// CHECK-NEXT:    dycl.return %[[R]]
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %r = dycl.if %p -> (!dycl.value) {
    %t = dycl.tuple(%x, %x)
    %one = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
    dycl.yield %one
  } else {
    %t = dycl.tuple(%p, %x)
    %one = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
    dycl.yield %one
  }
  dycl.return %r
}

dycl.object @"class m.Pair" "builtins.type" {}
