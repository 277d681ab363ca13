// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// `is` between two nodes of one tree; between what may be two numbers it stays.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[LEFT:.*]] = dycl.field %node "left"
// CHECK:         %[[SAME:.*]] = dycl.same_node %[[LEFT]], %node
// CHECK:         %[[OTHER:.*]] = dycl.same_node %[[LEFT]], %node
// CHECK-NEXT:    dycl.unary not %[[OTHER]]
// CHECK:         dycl.compare is %[[A:.*]], %[[A]]
func.func @forward(%node: !dycl.node<"m.Node">, %tree: !dycl.node<"builtins.tuple">) attributes {dycl.entry, dycl.params = ["node", "tree"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["left" !dycl.node<"m.Node"> of 0]>, #dycl.datatype<"builtins.tuple", ["builtins.tuple", "builtins.int"], ["items()" !dycl.sequence<!dycl.node<"builtins.tuple">> of 0, "int()" !torch.int of 1]>]} {
  %left = dycl.getattr %node "left" : (!dycl.node<"m.Node">) -> !dycl.value
  %p = dycl.compare is %left, %node : (!dycl.value, !dycl.node<"m.Node">) -> !dycl.value
  %q = dycl.compare is_not %left, %node : (!dycl.value, !dycl.node<"m.Node">) -> !dycl.value
  %r = dycl.compare is %tree, %tree : (!dycl.node<"builtins.tuple">, !dycl.node<"builtins.tuple">) -> !dycl.value
  %s = dycl.tuple(%p, %q, %r)
  dycl.return %s
}
