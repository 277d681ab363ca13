// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// Which member of an enum a node holds is a match; what a member is asked, is asked of
// each one, and of None what it is asked of None.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[OP:.*]] = dycl.field %node "op" : (!dycl.node<"m.Node">) -> !dycl.node<"m.Op">
// CHECK:         dycl.is_node %[[OP]] ["m.Op.ADD"]
// CHECK:         dycl.is_node %[[OP]] ["m.Op.ADD", "m.Op.MUL"]
// CHECK:         %[[ADD:.*]] = dycl.is_node %[[OP]] ["m.Op.ADD"]
// CHECK-NEXT:    dycl.if %[[ADD]]
// CHECK-NEXT:      %[[A:.*]] = dycl.constant @m.Op.ADD
// CHECK-NEXT:      dycl.getattr %[[A]] "name"
// CHECK:         } else {
// CHECK-NEXT:      dycl.is_node %[[OP]] ["m.Op.MUL"]
// CHECK:           dycl.getattr %{{.*}} "name"
// CHECK:           dycl.raise "builtins.AttributeError"
dycl.object @m.Op.ADD "m.Op" {name = "ADD"}
dycl.object @m.Op.MUL "m.Op" {name = "MUL"}
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["op" !dycl.node<"m.Op"> of 0]>, #dycl.datatype<"m.Op", ["m.Op.ADD", "m.Op.MUL"], []>]} {
  %op = dycl.getattr %node "op" : (!dycl.node<"m.Node">) -> !dycl.value
  %add = dycl.constant @m.Op.ADD
  %mul = dycl.constant @m.Op.MUL
  %p = dycl.compare is %op, %add
  %both = dycl.tuple(%add, %mul)
  %q = dycl.compare in %op, %both
  %name = dycl.getattr %op "name" : (!dycl.value) -> !dycl.value
  %r = dycl.tuple(%p, %q, %name)
  dycl.return %r
}
