// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// A node of a class with a `__len__` is true where that is not 0, another where it is not None.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.raise "builtins.TypeError"
// CHECK:         dycl.invoke %fork "__len__"()
// CHECK:         %[[NONE:.*]] = dycl.is_node %node ["None"]
// CHECK-NEXT:    %[[FORK:.*]] = dycl.is_node %node ["m.Fork"]
// CHECK-NEXT:    %[[P:.*]] = dycl.if %[[FORK]]
// CHECK-NEXT:      %[[L:.*]] = dycl.invoke %node "__len__"()
// CHECK-NEXT:      dycl.to_bool %[[L]]
// CHECK:         } else {
// CHECK-NEXT:      dycl.unary not %[[NONE]]
dycl.object @"class m.Fork" "builtins.type" {__len__ = #dycl.function<@length>, __node__ = #dycl.dict<["properties", #dycl.dict<[]>, "classes", ["m.Fork", "builtins.object"]]>}
dycl.object @"class m.Leaf" "builtins.type" {__node__ = #dycl.dict<["properties", #dycl.dict<[]>, "classes", ["m.Leaf", "builtins.object"]]>}
func.func @forward(%fork: !dycl.node<"m.Only">, %node: !dycl.node<"m.Fork">) attributes {dycl.entry, dycl.params = ["fork", "node"], dycl.datatypes = [#dycl.datatype<"m.Only", ["m.Fork"], ["left" !dycl.node<"m.Only"> of 0]>, #dycl.datatype<"m.Fork", ["m.Fork", "m.Leaf"], ["left" !dycl.node<"m.Fork"> of 0]>]} {
  %len = dycl.constant #dycl.global<"builtins.len">
  %n = dycl.call %len(%fork) : (!dycl.value, !dycl.node<"m.Only">) -> !dycl.value
  %p = dycl.to_bool %node : (!dycl.node<"m.Fork">) -> !dycl.value
  %t = dycl.tuple(%n, %p)
  dycl.return %t
}
func.func @length(%self: !dycl.value) -> !dycl.value attributes {dycl.params = ["self"]} {
  %one = dycl.constant 1 : i64
  dycl.return %one
}
