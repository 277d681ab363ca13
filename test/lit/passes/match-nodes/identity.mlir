// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// `id(node)` is of a type of its own, which is the same or another one, and no node; of
// what may be a number nothing is known.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.identity %node : (!dycl.node<"m.Node">) -> !dycl.node<"id of m.Node">
// CHECK:         %[[SAME:.*]] = dycl.same_node %[[A]], %[[A]]
// CHECK-NEXT:    dycl.unary not %[[SAME]]
// CHECK:         dycl.compare eq %[[A]], %node
// CHECK:         dycl.call %{{.*}}(%tree)
func.func @forward(%node: !dycl.node<"m.Node">, %tree: !dycl.node<"builtins.tuple">) attributes {dycl.entry, dycl.params = ["node", "tree"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["left" !dycl.node<"m.Node"> of 0]>, #dycl.datatype<"builtins.tuple", ["builtins.tuple", "builtins.int"], ["items()" !dycl.sequence<!dycl.node<"builtins.tuple">> of 0, "int()" !torch.int of 1]>]} {
  %id = dycl.constant #dycl.global<"builtins.id">
  %a = dycl.call %id(%node) : (!dycl.value, !dycl.node<"m.Node">) -> !dycl.value
  %p = dycl.compare ne %a, %a
  %q = dycl.compare eq %a, %node : (!dycl.value, !dycl.node<"m.Node">) -> !dycl.value
  %b = dycl.call %id(%tree) : (!dycl.value, !dycl.node<"builtins.tuple">) -> !dycl.value
  %s = dycl.tuple(%p, %q, %b)
  dycl.return %s
}
