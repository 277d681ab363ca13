// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// The number in a text says which entry is meant: no text is made. `get` has a default.

// CHECK:         dycl.position %i in #dycl.tuple<[2 : i64, 5 : i64]> else "KeyError: head{}"
// CHECK-NEXT:    dycl.switch
// CHECK:         } {test = "i", cases = ["2", "5"]}
// CHECK:         %[[K:.*]] = dycl.position %i in #dycl.tuple<[1 : i64, 4 : i64]> : (!torch.int)
// CHECK-NEXT:    dycl.switch
// CHECK:         case 1
// CHECK:         default {
// CHECK-NEXT:      dycl.yield %half
// CHECK:         %[[N:.*]] = dycl.constant 2 : i64
// CHECK-NEXT:    dycl.compare lt %[[K]], %[[N]]
// CHECK-NOT:     format
dycl.object @heads "torch.nn.modules.container.ModuleDict" {__items__ = #dycl.dict<["head2", @heads.a, "head5", @heads.b, "x", @heads.c]>}
dycl.object @heads.a "torch.nn.modules.activation.ReLU" {}
dycl.object @heads.b "torch.nn.modules.activation.Tanh" {}
dycl.object @heads.c "torch.nn.modules.activation.GELU" {}
func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %heads = dycl.constant @heads
  %text = dycl.constant "head{}"
  %key = dycl.invoke %text "format"(%i) : (!dycl.value, !torch.int) -> !dycl.value
  %m = dycl.subscript %heads[%key]
  %y = dycl.call %m(%x)
  %table = dycl.constant #dycl.dict<[1, 1.5, 4, 2.5]>
  %half = dycl.constant 0.5 : f64
  %s = dycl.invoke %table "get"(%i, %half) : (!dycl.value, !torch.int, !dycl.value) -> !dycl.value
  %z = dycl.binary mul %y, %s
  %is = dycl.compare in %i, %table : (!torch.int, !dycl.value) -> !dycl.value
  %r = dycl.tuple(%z, %is)
  dycl.return %r
}
