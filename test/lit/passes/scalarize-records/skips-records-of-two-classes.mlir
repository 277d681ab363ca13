// RUN: dycl-opt --dycl-scalarize-records --verify-diagnostics %s | filecheck %s

// The two sides give records of different classes: nothing is one of both.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.record
// CHECK:         dycl.yield %[[A]]
// CHECK:         %[[B:.*]] = dycl.record
// CHECK:         dycl.yield %[[B]]
// CHECK-NOT:     dycl.record
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  // expected-remark @+1 {{record forwarded as a whole: a record of another class, or another value, meets it}}
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
