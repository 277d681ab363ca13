func.func @f() -> !torch.vtensor<[2],si64> {
  %0 = torch.vtensor.literal(dense<[1, -2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
  %1 = torch.vtensor.literal(dense<[0.5, 0xFF800000]> : tensor<2xf32>) : !torch.vtensor<[2],f32>
  %2 = torch.vtensor.literal(dense<0xFC00> : tensor<2x2xf16>) : !torch.vtensor<[2,2],f16>
  %3 = torch.vtensor.literal(dense<[true, false]> : tensor<2xi1>) : !torch.vtensor<[2],i1>
  %4 = torch.vtensor.literal(dense<> : tensor<0xf32>) : !torch.vtensor<[0],f32>
  %5 = torch.vtensor.literal(dense<7> : tensor<ui8>) : !torch.vtensor<[],ui8>
  return %0 : !torch.vtensor<[2],si64>
}
