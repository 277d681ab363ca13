// RUN: dycl-opt --dycl-merge-backend-regions %s | filecheck %s
// RUN: dycl-opt --dycl-merge-backend-regions --dycl-merge-backend-regions %s | filecheck %s

// Neighbours of one backend are one region, up to an op of another one.

// CHECK-LABEL: func.func @k(
// CHECK:         %a = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %b = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %c = torch.aten.{{.*}}dycl.region = 1 : i64}
// CHECK-NEXT:    %d = torch.aten.{{.*}}dycl.region = 2 : i64}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.neg %a {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.sinh %b {dycl.backend = "cpu"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %d = torch.aten.neg %c {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %d : !torch.vtensor<[2],f32>
}
