// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// A loop that carries a record of one class carries its fields.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[T:.*]] = dycl.tuple(%x, %p)
// CHECK:         dycl.while carry(%[[S:.*]] = %[[T]]) {
// CHECK-NEXT:      dycl.record %[[S]] as
// CHECK-NEXT:      dycl.condition %p, %[[S]]
// CHECK-NEXT:    } do(%[[E:.*]]) {
// CHECK-NEXT:      dycl.record %[[E]] as
// CHECK:           %[[N:.*]] = dycl.tuple(%x, %x)
// CHECK:           dycl.yield %[[N]]
// CHECK:         dycl.record
// CHECK-NEXT:    dycl.return
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %p)
  %r = dycl.record %t as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
  %end = dycl.while carry(%s = %r) {
    dycl.condition %p, %s
  } do(%e) {
    %n = dycl.tuple(%x, %x)
    %next = dycl.record %n as #dycl.record_type<@"class m.Pair", "namedtuple", ["a", "b"]>
    dycl.yield %next
  }
  dycl.return %end
}

dycl.object @"class m.Pair" "builtins.type" {}
