// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// A method is a call of the function of the node's class, chosen by its constructor; None
// has none. A property is a call of its getter, a base class one of its classes.

// CHECK:         %0 = dycl.is_node %node ["None"]
// CHECK-NEXT:    dycl.if %0
// CHECK-NEXT:      "'NoneType' object has no attribute 'size'"
// CHECK-NEXT:      dycl.raise "builtins.AttributeError"
// CHECK:         dycl.is_node %node ["m.Leaf"]
// CHECK:         dycl.constant #dycl.function<@leaf_size>
// CHECK:         dycl.constant #dycl.function<@fork_size>
// CHECK:         "'Leaf' object has no attribute 'kind'"
// CHECK:         dycl.constant #dycl.function<@kind>
// CHECK:         %i = dycl.is_node %node ["m.Leaf", "m.Fork"]
dycl.object @"class m.Leaf" "builtins.type" {size = #dycl.function<@leaf_size>, __node__ = #dycl.dict<["properties", #dycl.dict<[]>, "classes", ["m.Leaf", "m.Base"]]>}
dycl.object @"class m.Fork" "builtins.type" {size = #dycl.function<@fork_size>, __node__ = #dycl.dict<["properties", #dycl.dict<["kind", #dycl.property<@kind>]>, "classes", ["m.Fork", "m.Base"]]>}
func.func @forward(%node: !dycl.node<"m.Leaf">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Leaf", ["m.Leaf", "m.Fork"], ["word" !torch.int of 0]>]} {
  %s = dycl.invoke %node "size"() : (!dycl.node<"m.Leaf">) -> !dycl.value
  %k = dycl.getattr %node "kind" : (!dycl.node<"m.Leaf">) -> !dycl.value
  %f = dycl.constant #dycl.global<"builtins.isinstance">
  %base = dycl.constant #dycl.global<"m.Base">
  %i = dycl.call %f(%node, %base) : (!dycl.value, !dycl.node<"m.Leaf">, !dycl.value) -> !dycl.value
  %r = dycl.tuple(%s, %k, %i)
  dycl.return %r
}
