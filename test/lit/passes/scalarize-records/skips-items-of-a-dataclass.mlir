// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// A dataclass has no items: the phase check says so where they are asked for.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[R:.*]] = dycl.record
// CHECK-NEXT:    dycl.subscript %[[R]][%x]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %r = dycl.record %t as #dycl.record_type<@"class m.Out", "dataclass", ["a", "b"]>
  %f = dycl.subscript %r[%x]
  dycl.return %f
}

dycl.object @"class m.Out" "builtins.type" {}
