// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s
// RUN: dycl-opt --dycl-match-nodes --dycl-match-nodes %s | filecheck %s

// Reads, tests for None, tests of the class and truth of a node become matches on its
// constructor; a field that may be None is read where it is computed with, behind tests.

// CHECK-LABEL: func.func @forward
// CHECK:         %l = dycl.field %node "left" : (!dycl.node<"m.Node">) -> !dycl.node<"m.Node">
// CHECK-NEXT:    %p = dycl.is_node %l ["None"] : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %0 = dycl.is_node %l ["None"]
// CHECK-NEXT:    %t = dycl.unary not %0
// CHECK:         %i = dycl.is_node %node ["m.Leaf"]
// CHECK-NEXT:    %1 = dycl.has_field %node "word" : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %q = dycl.unary not %1
// CHECK-NEXT:    %w = dycl.field %node "word" : (!dycl.node<"m.Node">) -> !torch.int
// CHECK:         %s = dycl.binary add
// CHECK:         %c = dycl.field %node "children" : (!dycl.node<"m.Node">) -> !dycl.sequence<!dycl.node<"m.Node">>
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node", "m.Leaf"], ["left" !dycl.node<"m.Node"> of 0, "word" !torch.optional<int> of 0 1, "children" !dycl.sequence<!dycl.node<"m.Node">> of 0]>]} {
  %none = dycl.constant #dycl.none
  %l = dycl.getattr %node "left" : (!dycl.node<"m.Node">) -> !dycl.value
  %p = dycl.compare is %l, %none
  %t = dycl.to_bool %l
  %f = dycl.constant #dycl.global<"builtins.isinstance">
  %leaf = dycl.constant #dycl.global<"m.Leaf">
  %i = dycl.call %f(%node, %leaf) : (!dycl.value, !dycl.node<"m.Node">, !dycl.value) -> !dycl.value
  %w = dycl.getattr %node "word" : (!dycl.node<"m.Node">) -> !dycl.value
  %q = dycl.compare is %w, %none
  %s = dycl.binary add %w, %w
  %c = dycl.getattr %node "children" : (!dycl.node<"m.Node">) -> !dycl.value
  %r = dycl.tuple(%p, %t, %i, %q, %s, %c)
  dycl.return %r
}
