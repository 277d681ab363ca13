// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// A field of a record is an item of the tuple it was made of.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[T:.*]] = dycl.tuple(%x, %x)
// CHECK:         %[[I:.*]] = dycl.constant 1 : i64
// CHECK-NEXT:    %[[F:.*]] = dycl.subscript %[[T]][%[[I]]]
// CHECK-NEXT:    dycl.return %[[F]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %r = dycl.record %t as #dycl.record_type<@"class m.Out", "dataclass", ["logits", "loss"]>
  %f = dycl.getattr %r "loss"
  dycl.return %f
}

dycl.object @"class m.Out" "builtins.type" {}
