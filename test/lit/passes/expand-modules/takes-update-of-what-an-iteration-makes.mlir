// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-follow-writes --dycl-expand-modules %s | filecheck %s

// A list of what earlier iterations made shares no memory with what this one makes: the
// first update is seen by nothing else. The second is of what is in the list already.

// CHECK:     torch.aten.exp
// CHECK:     torch.aten.add.Tensor
// CHECK:     torch.aten.sin
// CHECK:     dycl.unsupported "DY307" "this changes a tensor that is used afterwards"
func.func @forward(%x: !torch.vtensor<[2],f32>, %n: !torch.int) attributes {dycl.entry} {
  %exp = dycl.constant #dycl.global<"torch.exp">
  %sin = dycl.constant #dycl.global<"torch.sin">
  %zero = dycl.constant 0 : i64 -> !torch.int
  %one = dycl.constant 1 : i64 -> !torch.int
  %p = dycl.sequence() : () -> !dycl.sequence<!torch.vtensor<[2],f32>>
  %q = dycl.sequence() : () -> !dycl.sequence<!torch.vtensor<[2],f32>>
  %k, %ps, %qs = dycl.while carry(%i : !torch.int = %zero : !torch.int, %a : !dycl.sequence<!torch.vtensor<[2],f32>> = %p : !dycl.sequence<!torch.vtensor<[2],f32>>, %b : !dycl.sequence<!torch.vtensor<[2],f32>> = %q : !dycl.sequence<!torch.vtensor<[2],f32>>) {
    %c = dycl.compare lt %i, %n : (!torch.int, !torch.int) -> !torch.bool
    dycl.condition %c, %i, %a, %b : (!torch.bool, !torch.int, !dycl.sequence<!torch.vtensor<[2],f32>>, !dycl.sequence<!torch.vtensor<[2],f32>>) -> ()
  } do(%j, %d, %e) {
    %m = dycl.binary add %j, %one : (!torch.int, !torch.int) -> !torch.int
    %u = dycl.call %exp(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    %v = dycl.inplace add %u, %x : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    %f = dycl.append %d, %v : (!dycl.sequence<!torch.vtensor<[2],f32>>, !torch.vtensor<[2],f32>) -> !dycl.sequence<!torch.vtensor<[2],f32>>
    %w = dycl.call %sin(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    %g = dycl.append %e, %w : (!dycl.sequence<!torch.vtensor<[2],f32>>, !torch.vtensor<[2],f32>) -> !dycl.sequence<!torch.vtensor<[2],f32>>
    %y = dycl.inplace add %w, %x : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.yield %m, %f, %g : (!torch.int, !dycl.sequence<!torch.vtensor<[2],f32>>, !dycl.sequence<!torch.vtensor<[2],f32>>) -> ()
  } {test = "i < n"}
  %t = dycl.tuple(%ps, %qs) : (!dycl.sequence<!torch.vtensor<[2],f32>>, !dycl.sequence<!torch.vtensor<[2],f32>>) -> !dycl.value
  dycl.return %t
}
