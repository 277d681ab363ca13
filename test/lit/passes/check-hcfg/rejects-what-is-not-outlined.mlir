// RUN: not dycl-opt --dycl-check-hcfg %s 2>&1 | filecheck %s

// All tensor computation left on the host is told at once, the first with its frame.

// CHECK:      rejects-what-is-not-outlined.mlir:9:3: error: the host only decides and launches kernels, and `torch.aten.relu` is not in a kernel: run dycl-outline-branches [DY401]
// CHECK:      %y = torch.aten.relu %x
// CHECK:      = note: {{.*}}rejects-what-is-not-outlined.mlir:10: the host only decides and launches kernels, and `torch.aten.tanh` is not in a kernel
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = torch.aten.relu %x : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %z = torch.aten.tanh %y : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
