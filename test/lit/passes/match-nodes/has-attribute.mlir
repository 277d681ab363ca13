// RUN: dycl-opt --dycl-match-nodes --dycl-match-nodes %s | filecheck %s

// `hasattr` of a node, and `getattr` with a default, ask whether it has an attribute at
// all; of one that no node of the example has it is not known.

// CHECK-LABEL: func.func @forward
// CHECK:         %p = dycl.has_attribute %node "left" : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK:         %0 = dycl.has_attribute %node "left" : (!dycl.node<"m.Node">) -> !torch.bool
// CHECK-NEXT:    %q = dycl.if %0 : !torch.bool -> (!dycl.value) {
// CHECK-NEXT:      %{{.*}} = dycl.field %node "left" : (!dycl.node<"m.Node">) -> !dycl.node<"m.Node">
// CHECK-NEXT:      dycl.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.yield %none
// CHECK-NEXT:    } {test = "the node has `left`"}
// CHECK-NEXT:    %r = dycl.call %has(%node, %right)
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node", "m.Leaf"], ["left" !dycl.node<"m.Node"> of 0]>]} {
  %none = dycl.constant #dycl.none
  %has = dycl.constant #dycl.global<"builtins.hasattr">
  %get = dycl.constant #dycl.global<"builtins.getattr">
  %left = dycl.constant "left"
  %right = dycl.constant "right"
  %p = dycl.call %has(%node, %left) : (!dycl.value, !dycl.node<"m.Node">, !dycl.value) -> !dycl.value
  %q = dycl.call %get(%node, %left, %none) : (!dycl.value, !dycl.node<"m.Node">, !dycl.value, !dycl.value) -> !dycl.value
  %r = dycl.call %has(%node, %right) : (!dycl.value, !dycl.node<"m.Node">, !dycl.value) -> !dycl.value
  %t = dycl.tuple(%p, %q, %r)
  dycl.return %t
}
