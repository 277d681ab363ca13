// RUN: dycl-opt -p "dycl-lift-state,dycl-lift-state" %s | filecheck %s

// An attribute that a call sets, whatever it was, needs no second body.

// CHECK:     func.func @forward(%x: !torch.int) attributes
// CHECK-NOT: dycl.setattr
// CHECK:     dycl.tuple(%x)
// CHECK-NOT: func.func
dycl.object @"" "m.Net" {last = #dycl.none}
func.func @forward(%x: !torch.int) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  dycl.setattr %self "last", %x : (!dycl.value, !torch.int) -> ()
  dycl.return %x : (!torch.int) -> ()
}
