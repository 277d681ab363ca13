// RUN: dycl-opt --dycl-peel-loops %s | filecheck %s

// One row becomes `n` rows after one iteration, and stays so.

// CHECK:      %[[A:.*]] = dycl.binary add %z, %x
// CHECK-NEXT: %{{.*}} = dycl.while carry(%{{.*}} = %[[A]])
func.func @forward(%x: !torch.vtensor<[?,4],f32>, %z: !torch.vtensor<[1,4],f32>, %p: !torch.bool)
    attributes {dycl.entry, dycl.params = ["x", "z", "p"], dycl.sizes = [#dycl.size<"n", 0 to 512, "x" 0>]} {
  %r = dycl.while carry(%a = %z : !torch.vtensor<[1,4],f32>) {
    dycl.condition %p, %a : (!torch.bool, !dycl.value) -> ()
  } do (%b) {
    %c = dycl.binary add %b, %x : (!dycl.value, !torch.vtensor<[?,4],f32>) -> !dycl.value
    dycl.yield %c
  } {test = "p"}
  dycl.return %r
}
