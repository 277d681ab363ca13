// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s
// RUN: dycl-opt --dycl-scalarize-records %s > %t.once
// RUN: dycl-opt --dycl-scalarize-records --dycl-scalarize-records %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.subscript
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %r = dycl.scope "f" -> (!dycl.value) {
    %one = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
    dycl.if %p {
      dycl.leave "f" %one
    }
    dycl.leave "f" %one
  }
  %f = dycl.getattr %r "a"
  dycl.return %f
}

dycl.object @"class m.Pair" "builtins.type" {}
