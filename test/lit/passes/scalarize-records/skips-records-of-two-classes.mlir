// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// The two sides give records of different classes: nothing is one of both.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.record
// CHECK:         dycl.yield %[[A]]
// CHECK:         %[[B:.*]] = dycl.record
// CHECK:         dycl.yield %[[B]]
// CHECK-NOT:     dycl.record
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %r = dycl.if %p -> (!dycl.value) {
    %one = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
    dycl.yield %one
  } else {
    %one = dycl.record %t as #dycl.record_type<@"class m.Other", "namedtuple", ["a", "b"]>
    dycl.yield %one
  }
  dycl.return %r
}

dycl.object @"class m.Pair" "builtins.type" {}
dycl.object @"class m.Other" "builtins.type" {}
