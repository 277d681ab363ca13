// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// Subscripts and unpacking ask a named tuple for its items; identity asks for itself.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[T:.*]] = dycl.tuple(%x, %x)
// CHECK:         %[[R:.*]] = dycl.record %[[T]] as
// CHECK:         dycl.subscript %[[T]]
// CHECK:         dycl.unpack %[[T]]
// CHECK:         dycl.compare is %[[R]], %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %r = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
  %f = dycl.subscript %r[%x]
  %a, %b = dycl.unpack %r -> 2
  %same = dycl.compare is %r, %x
  %all = dycl.tuple(%f, %a, %b, %same)
  dycl.return %all
}

dycl.object @"class m.Pair" "builtins.type" {}
