// gelu has eager's constants: sqrt(2 / pi), 0.044715; sqrt(1 / 2) without a division.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-decompose | filecheck %s

// CHECK-LABEL: func.func @tanh
// CHECK-NOT: torch.aten.gelu
// CHECK: torch.constant.float 4.471500e-02
// CHECK: torch.constant.float 0.79788456080286541
// CHECK: torch.aten.tanh
func.func @tanh(%x: !torch.vtensor<[3,10],f32>) -> !torch.vtensor<[3,10],f32> {
  %kind = torch.constant.str "tanh"
  %y = torch.aten.gelu %x, %kind : !torch.vtensor<[3,10],f32>, !torch.str
      -> !torch.vtensor<[3,10],f32>
  return %y : !torch.vtensor<[3,10],f32>
}

// CHECK-LABEL: func.func @erf
// CHECK-NOT: torch.aten.gelu
// CHECK: torch.constant.float 0.70710678118654757
// CHECK: torch.aten.erf
func.func @erf(%x: !torch.vtensor<[3,10],f64>) -> !torch.vtensor<[3,10],f64> {
  %kind = torch.constant.str "none"
  %y = torch.aten.gelu %x, %kind : !torch.vtensor<[3,10],f64>, !torch.str
      -> !torch.vtensor<[3,10],f64>
  return %y : !torch.vtensor<[3,10],f64>
}

// Half floats are left to torch-mlir, which computes them in f32.
// CHECK-LABEL: func.func @half
// CHECK: torch.aten.gelu
func.func @half(%x: !torch.vtensor<[3,10],bf16>) -> !torch.vtensor<[3,10],bf16> {
  %kind = torch.constant.str "tanh"
  %y = torch.aten.gelu %x, %kind : !torch.vtensor<[3,10],bf16>, !torch.str
      -> !torch.vtensor<[3,10],bf16>
  return %y : !torch.vtensor<[3,10],bf16>
}
