// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-modules %s | filecheck %s

// The first update is of a carried tensor that has no other name. The second is of one
// that the next iteration reads by its old name.

// CHECK:     torch.aten.add.Tensor %b, %one
// CHECK:     dycl.unsupported "DY301" "this changes a tensor that is used afterwards"
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %one = dycl.invoke %x "relu"()
  %u = dycl.invoke %x "exp"()
  %w = dycl.invoke %x "sin"()
  %y, %z = dycl.while carry(%a = %u, %d = %w) {
    %s = dycl.invoke %a "sum"()
    %c = dycl.truth %s
    dycl.condition %c, %a, %d
  } do(%b, %e) {
    %v = dycl.inplace add %b, %one
    %f = dycl.binary mul %w, %one
    %g = dycl.inplace add %e, %f
    dycl.yield %v, %g
  }
  %t = dycl.tuple(%y, %z)
  dycl.return %t
}
