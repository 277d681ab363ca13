// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// An instance stays as it was made.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.unsupported "DY206" "the attribute `a` of an instance of `Out` is changed"
// CHECK-NOT:     dycl.setattr
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %x)
  %r = dycl.record %t as #dycl.record_type<@"class m.Out", "dataclass", ["a", "b"]>
  dycl.setattr %r "a", %x
  dycl.return %r
}

dycl.object @"class m.Out" "builtins.type" {}
