// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// A field is set: the program is what it was in front of the first such record, and
// instances of the class are objects from then on.

// CHECK:         builtin.module attributes {dycl.changed_instances = ["class m.Out"]}
// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.unchanged
// CHECK:         %out = dycl.call %cls(%x, %x)
// CHECK-NEXT:    dycl.setattr %out "a", %x
// CHECK-NOT:   func.func
builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.unchanged = @forward.unchanged} {
    %t = dycl.tuple(%x, %x)
    %r = dycl.record %t as #dycl.record_type<@"class m.Out", "dataclass", ["a", "b"]>
    dycl.setattr %r "a", %x
    dycl.return %r
  }

  func.func @forward.unchanged(%x: !dycl.value) {
    %cls = dycl.constant @"class m.Out"
    %out = dycl.call %cls(%x, %x)
    dycl.setattr %out "a", %x
    dycl.return %out
  }

  dycl.object @"class m.Out" "builtins.type" {__record__ = #dycl.dict<["object", "instance of m.Out"]>}
}
