// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// A number that a kernel gives arrives in a buffer of rank 0 and is read out of it.

// CHECK-LABEL: host.func @forward
// CHECK-NEXT:    %s_out = host.alloc : memref<f64>
// CHECK-NEXT:    host.launch @k ins(%n : i64) outs(%s_out : memref<f64>)
// CHECK-NEXT:    %s = host.read %s_out : memref<f64> -> f64
// CHECK-NEXT:    dycl.return %s : (f64) -> ()
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %s = dycl.launch @k(%n) : (!torch.int) -> !torch.float
  dycl.return %s : (!torch.float) -> ()
}
func.func @k(%n: !torch.int) -> !torch.float attributes {dycl.kernel} {
  %s = "test.op"(%n) : (!torch.int) -> !torch.float
  func.return %s : !torch.float
}
