// RUN: dycl-opt -p normalise %s | filecheck %s

// There is one item more in each iteration: it stays a list of a length of the run.

// CHECK-LABEL: func.func @forward(
// CHECK-NOT:   dycl.unguessed
// CHECK:       dycl.while carry({{%.*}} : !dycl.sequence
// CHECK:         dycl.append
// CHECK-NOT:   dycl.unpack
// CHECK-NOT:   func.func
func.func @forward(%a: !torch.vtensor<[3],f32>, %p: !torch.bool)
    attributes {dycl.entry} {
  %l = dycl.list(%a) : (!torch.vtensor<[3],f32>) -> !dycl.value
  %r = dycl.while carry(%u = %l) {
    dycl.condition %p, %u : (!torch.bool, !dycl.value) -> ()
  } do(%v) {
    %more = dycl.list(%a) : (!torch.vtensor<[3],f32>) -> !dycl.value
    %new = dycl.binary add %v, %more
    dycl.yield %new
  }
  %stack = dycl.constant #dycl.global<"torch.stack">
  %y = dycl.call %stack(%r)
  dycl.return %y
}
