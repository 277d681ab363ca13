// RUN: dycl-opt --dycl-match-nodes="hand-on=true" %s | filecheck %s

// None is a node where a loop carries it until it finds one, and where a function gives
// the one or the other. Beside a number it is not.

// CHECK-LABEL: dycl.local_function "f"
// CHECK:       %[[N:.*]] = dycl.constant #dycl.none -> !dycl.node<"m.Node">
// CHECK:       dycl.local_return %[[N]]
// CHECK:       %[[FOUND:.*]] = dycl.constant #dycl.none -> !dycl.node<"m.Node">
// CHECK:       dycl.while carry(%{{.*}} = %[[FOUND]] : !dycl.node<"m.Node">, %{{.*}} = %other) {
func.func @forward(%node: !dycl.node<"m.Node">, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["node", "p"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["count" !torch.int of 0]>]} {
  dycl.local_function "f"(%a: !dycl.node<"m.Node">, %q: !torch.bool) {
    dycl.if %q : !torch.bool {
      dycl.local_return %a : (!dycl.node<"m.Node">) -> ()
    }
    %none = dycl.constant #dycl.none
    dycl.local_return %none
  }
  %found = dycl.constant #dycl.none
  %other = dycl.constant #dycl.none
  %r, %s = dycl.while carry(%x = %found, %y = %other) {
    dycl.condition %p, %x, %y : (!torch.bool, !dycl.value, !dycl.value) -> ()
  } do(%z, %w) {
    %count = dycl.field %node "count" : (!dycl.node<"m.Node">) -> !torch.int
    dycl.yield %node, %count : (!dycl.node<"m.Node">, !torch.int) -> ()
  }
  %g = dycl.local_call "f"(%node, %p) : (!dycl.node<"m.Node">, !torch.bool) -> !dycl.value
  %t = dycl.tuple(%r, %s, %g)
  dycl.return %t
}
