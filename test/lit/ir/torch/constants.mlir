// Scalars and constant tensors keep their values, bits of floats among them.
// RUN: dycl-opt %s | dycl-opt | filecheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK-NEXT: torch.constant.int -7
  %0 = torch.constant.int -7
  // CHECK-NEXT: torch.constant.float 1.000000e-05
  %1 = torch.constant.float 1.0e-5
  // CHECK-NEXT: torch.constant.float 0xfff0000000000000
  %2 = torch.constant.float 0xFFF0000000000000
  // CHECK-NEXT: torch.constant.bool true
  %3 = torch.constant.bool true
  // CHECK-NEXT: torch.constant.str "a\22b"
  %4 = torch.constant.str "a\22b"
  // CHECK-NEXT: torch.constant.none
  %5 = torch.constant.none
  // CHECK-NEXT: torch.vtensor.literal(dense<[1, -2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
  %6 = torch.vtensor.literal(dense<[1, -2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
  // CHECK-NEXT: torch.vtensor.literal(dense<[5.000000e-01, 0xff800000]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  %7 = torch.vtensor.literal(dense<[0.5, 0xFF800000]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  // The type begins like a float's bits.
  // CHECK: torch.vtensor.literal(dense<> : tensor<0x4xf32>) : !torch.vtensor<[0,4],f32>
  %8 = torch.vtensor.literal(dense<> : tensor<0x4xf32>) : !torch.vtensor<[0,4],f32>
  return
}
