// RUN: dycl-opt --dycl-partition-backends %s | filecheck %s

// A kernel with one region stays as it is, and says whose it is.

// CHECK:       dycl.launch @k(%x)
// CHECK:       func.func @k({{.*}} attributes {{{.*}}dycl.backend = "toy"
// CHECK-NEXT:    torch.aten.relu %x :
// CHECK-NEXT:    torch.aten.neg %a :
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.neg %a {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %b : !torch.vtensor<[2],f32>
}
