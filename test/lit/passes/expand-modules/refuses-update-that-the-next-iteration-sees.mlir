// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules %s | filecheck %s

// The first update is of a carried tensor that has no other name. The second is of one
// that the next iteration reads by its old name.

// CHECK:     torch.aten.add.Tensor %b, %one
// CHECK:     dycl.unsupported "DY307" "this changes a tensor that is used afterwards"
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %relu = dycl.constant #dycl.global<"torch.relu">
  %exp = dycl.constant #dycl.global<"torch.exp">
  %sin = dycl.constant #dycl.global<"torch.sin">
  %one = dycl.call %relu(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %u = dycl.call %exp(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %w = dycl.call %sin(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %y, %z = dycl.while carry(%a = %u, %d = %w) {
    %s = dycl.invoke %a "sum"()
    %c = dycl.to_bool %s
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
