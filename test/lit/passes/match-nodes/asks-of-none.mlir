// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// None equals no number, is in no list of them, and is false: nothing raises there. Where
// a field is computed with, None raises.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[H:.*]] = dycl.has_field %node "word" : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %[[P:.*]] = dycl.if %[[H]] : !torch.bool -> (!dycl.value) {
// CHECK-NEXT:      %{{.*}} = dycl.field %node "word" : (!dycl.node<"m.Node">) -> !torch.int
// CHECK-NEXT:      %{{.*}} = dycl.compare eq
// CHECK-NEXT:      dycl.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %{{.*}} = dycl.constant #dycl.none
// CHECK-NEXT:      %{{.*}} = dycl.compare eq
// CHECK-NEXT:      dycl.yield
// CHECK-NEXT:    } {test = "`word` is there"}
// CHECK:         dycl.if
// CHECK:         dycl.to_bool
// CHECK:         dycl.field %node "word"
// CHECK-NEXT:    dycl.compare lt
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["word" !torch.optional<int> of 0]>]} {
  %one = dycl.constant 1 : i64
  %w = dycl.getattr %node "word" : (!dycl.node<"m.Node">) -> !dycl.value
  %p = dycl.compare eq %w, %one
  %t = dycl.to_bool %w
  %l = dycl.compare lt %w, %one
  %r = dycl.tuple(%p, %t, %l)
  dycl.return %r
}
