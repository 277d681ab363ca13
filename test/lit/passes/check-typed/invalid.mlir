// REQUIRES: torch
// RUN: not dycl-opt --dycl-check-typed %s 2>&1 | filecheck %s

// All refusals come at once, in order; what derives from one is not another.

// CHECK:      error: no lambdas
// CHECK:      = help: use a def
// CHECK-NOT:  :18:
// CHECK:      error: `w` starts as a float32 tensor of shape (2,), but an iteration makes it an int64 tensor of shape (2,)
// CHECK:      = note: an int64 tensor of shape (2,) comes from
// CHECK:      error: one side of this `if` gives a float32 tensor of shape (2,), the other a float32 tensor of shape (1,)
// CHECK:      = note: a float32 tensor of shape (2,) comes from
// CHECK:      error: `k` is read here, but may have no value
// CHECK:      error: `dycl.binary` works on tensors
// CHECK:      = help: run `dycl-expand-modules` first
// CHECK:      error: an item of a tensor, list or dict is set in place
func.func @forward(%x: !torch.vtensor<[2],f32>, %y: !torch.vtensor<[1],f32>, %p: !torch.bool, %z: !torch.vtensor<[2],si64>) attributes {dycl.entry} {
  %a = dycl.unsupported "DY101" "no lambdas" "use a def"
  %b = dycl.binary add %a, %a
  %w = dycl.while carry(%c = %x : !torch.vtensor<[2],f32>) {
    dycl.condition %p, %c : (!torch.bool, !dycl.value) -> ()
  } do(%c_1) {
    %c_2 = torch.aten.relu %z : !torch.vtensor<[2],si64> -> !torch.vtensor<[2],si64>
    dycl.yield %c_2 : (!torch.vtensor<[2],si64>) -> ()
  }
  %j = dycl.if %p : !torch.bool -> (!dycl.value) {
    %x_1 = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
    dycl.yield %x_1 : (!torch.vtensor<[2],f32>) -> ()
  } else {
    dycl.yield %y : (!torch.vtensor<[1],f32>) -> ()
  }
  %k = dycl.if %p : !torch.bool -> (!torch.vtensor<[2],f32>) {
    %u = dycl.unbound "k" : () -> !torch.vtensor<[2],f32>
    dycl.yield %u : (!torch.vtensor<[2],f32>) -> ()
  } else {
    dycl.yield %x : (!torch.vtensor<[2],f32>) -> ()
  }
  %r = torch.aten.relu %k : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %s = dycl.binary add %x, %x : (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %zero = dycl.constant 0 : i64 -> !torch.int
  dycl.store_subscript %x[%zero], %y : (!torch.vtensor<[2],f32>, !torch.int, !torch.vtensor<[1],f32>) -> ()
  %t = dycl.tuple(%b, %j, %r, %s) : (!dycl.value, !dycl.value, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) -> !dycl.value
  dycl.return %t
}
