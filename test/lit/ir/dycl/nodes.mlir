// RUN: dycl-opt %s | dycl-opt | filecheck %s
// RUN: dycl-opt --mlir-print-op-generic %s | dycl-opt | filecheck %s

// Nodes of trees: the data type is an attribute of the entry function, with its
// constructors and fields; which constructors have a field stands behind `of`.

// CHECK-LABEL: func.func @forward(%root: !dycl.node<"m.Node">)
// CHECK-SAME:    dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Leaf", "m.Fork"], ["word" !torch.optional<int> of 0 1, "left" !dycl.node<"m.Node"> of 1, "items" !dycl.sequence<!dycl.node<"m.Node">> of 1]>]
// CHECK-NEXT:    %l = dycl.field %root "left" : (!dycl.node<"m.Node">) -> !dycl.node<"m.Node">
// CHECK-NEXT:    %p = dycl.is_node %l ["None", "m.Leaf"] : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %q = dycl.has_field %root "word" : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %h = dycl.has_attribute %root "word" : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %w = dycl.field %root "word" : (!dycl.node<"m.Node">) -> !torch.int
// CHECK-NEXT:    %i = dycl.field %root "items" : (!dycl.node<"m.Node">) -> !dycl.sequence<!dycl.node<"m.Node">>
// CHECK-NEXT:    %s = dycl.same_node %l, %root : (!dycl.node<"m.Node">, !dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %k = dycl.identity %root : (!dycl.node<"m.Node">) -> !dycl.node<"id of m.Node">
// CHECK-NEXT:    dycl.return %p, %q, %w, %s
func.func @forward(%root: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["root"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Leaf", "m.Fork"], ["word" !torch.optional<int> of 0 1, "left" !dycl.node<"m.Node"> of 1, "items" !dycl.sequence<!dycl.node<"m.Node">> of 1]>]} {
  %l = dycl.field %root "left" : (!dycl.node<"m.Node">) -> !dycl.node<"m.Node">
  %p = dycl.is_node %l ["None", "m.Leaf"] : (!dycl.node<"m.Node">) -> !torch.bool
  %q = dycl.has_field %root "word" : (!dycl.node<"m.Node">) -> !torch.bool
  %h = dycl.has_attribute %root "word" : (!dycl.node<"m.Node">) -> !torch.bool
  %w = dycl.field %root "word" : (!dycl.node<"m.Node">) -> !torch.int
  %i = dycl.field %root "items" : (!dycl.node<"m.Node">) -> !dycl.sequence<!dycl.node<"m.Node">>
  %s = dycl.same_node %l, %root : (!dycl.node<"m.Node">, !dycl.node<"m.Node">) -> !torch.bool
  %k = dycl.identity %root : (!dycl.node<"m.Node">) -> !dycl.node<"id of m.Node">
  dycl.return %p, %q, %w, %s : (!torch.bool, !torch.bool, !torch.int, !torch.bool) -> ()
}
