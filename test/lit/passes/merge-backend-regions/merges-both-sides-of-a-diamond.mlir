// RUN: dycl-opt --dycl-merge-backend-regions %s | filecheck %s

// Nothing is between the sides: all is one region.

// CHECK-LABEL: func.func @k(
// CHECK:         %a = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %b = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %c = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %d = torch.aten.{{.*}}dycl.region = 0 : i64}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.exp %a {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.neg %a {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %d = torch.aten.mul.Tensor %b, %c {dycl.backend = "toy"} : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %d : !torch.vtensor<[2],f32>
}
