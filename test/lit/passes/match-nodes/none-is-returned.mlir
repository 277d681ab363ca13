// RUN: dycl-opt --dycl-match-nodes="hand-on=true" %s | filecheck %s

// A field that may be None is None where it is returned, and where one side of an `if`
// gives it; it is read at once where a test says that it is there. What a `select`
// chooses is read on one side only.

// CHECK:      %[[HAS:.*]] = dycl.has_field %node "word"
// CHECK:      %[[W:.*]] = dycl.if %[[HAS]]
// CHECK-NEXT:   dycl.field %node "word"
// CHECK:      } else {
// CHECK-NEXT:   dycl.constant #dycl.none
// CHECK:      dycl.if %there
// CHECK-NEXT:   %x = dycl.field %node "count"
// CHECK-NEXT:   dycl.yield %x
// CHECK-NOT:  dycl.select
// CHECK:      dycl.tuple(%[[W]], %y)
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["word" !torch.optional<str> of 0, "count" !torch.optional<int> of 0]>]} {
  %w = dycl.getattr %node "word" : (!dycl.node<"m.Node">) -> !dycl.value
  %x = dycl.getattr %node "count" : (!dycl.node<"m.Node">) -> !dycl.value
  %there = dycl.has_field %node "count" : (!dycl.node<"m.Node">) -> !torch.bool
  %one = dycl.constant 1 : i64
  %y = dycl.select %there, %x, %one : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  %r = dycl.tuple(%w, %y)
  dycl.return %r
}
