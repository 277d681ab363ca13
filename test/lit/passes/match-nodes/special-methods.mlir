// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// `node[k]` and `k in node` are methods of the class; where there is no node, a TypeError.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.is_node %node ["None"]
// CHECK:         dycl.raise "builtins.TypeError"
// CHECK:         %[[Y:.*]] = dycl.invoke %node "__getitem__"(%k)
// CHECK:         %[[Q:.*]] = dycl.invoke %node "__contains__"(%k)
// CHECK-NEXT:    %[[P:.*]] = dycl.to_bool %[[Q]]
// CHECK-NEXT:    dycl.tuple(%[[Y]], %[[P]])
dycl.object @"class m.Node" "builtins.type" {__getitem__ = #dycl.function<@item>, __contains__ = #dycl.function<@has>, __node__ = #dycl.dict<["properties", #dycl.dict<[]>, "classes", ["m.Node", "builtins.object"]]>}
func.func @forward(%node: !dycl.node<"m.Node">, %k: !torch.int) attributes {dycl.entry, dycl.params = ["node", "k"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["left" !dycl.node<"m.Node"> of 0]>]} {
  %y = dycl.subscript %node[%k] : (!dycl.node<"m.Node">, !torch.int) -> !dycl.value
  %p = dycl.compare in %k, %node : (!torch.int, !dycl.node<"m.Node">) -> !dycl.value
  %t = dycl.tuple(%y, %p)
  dycl.return %t
}
func.func @item(%self: !dycl.value, %k: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "k"]} {
  dycl.return %k
}
func.func @has(%self: !dycl.value, %k: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "k"]} {
  dycl.return %k
}
