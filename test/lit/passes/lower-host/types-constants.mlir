// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// Signed integers of torch become signless; Python's constants get the host's types.

// CHECK:       %k = dycl.constant dense<[1, 2]> : tensor<2xi64> -> memref<2xi64>
// CHECK-NEXT:  %v = host.view %k : memref<2xi64> -> memref<2x1xi64>
// CHECK-NEXT:  %half = dycl.constant 5.000000e-01 : f64 -> f64
// CHECK-NEXT:  %t = dycl.constant true -> i1
// CHECK-NEXT:  %s = dycl.constant "same" -> !host.str
// CHECK-NEXT:  %none = dycl.constant #dycl.none -> !host.none
// CHECK-NEXT:  dycl.return %v, %half, %t, %s, %none : (memref<2x1xi64>, f64, i1, !host.str, !host.none) -> ()
func.func @forward() attributes {dycl.entry} {
  %k = torch.vtensor.literal(dense<[1, 2]> : tensor<2xsi64>) : !torch.vtensor<[2],si64>
  %v = dycl.view %k : (!torch.vtensor<[2],si64>) -> !torch.vtensor<[2,1],si64>
  %half = dycl.constant 0.5 : f64 -> !torch.float
  %t = dycl.constant true -> !torch.bool
  %s = dycl.constant "same" -> !torch.str
  %none = dycl.constant #dycl.none -> !torch.none
  dycl.return %v, %half, %t, %s, %none : (!torch.vtensor<[2,1],si64>, !torch.float, !torch.bool, !torch.str, !torch.none) -> ()
}
