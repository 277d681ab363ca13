// RUN: dycl-opt --dycl-merge-backend-regions %s | filecheck %s

// Ops that do not need one another are one call, too, as in a kernel that is not parted.

// CHECK-LABEL: func.func @k(
// CHECK:         %a = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %b = torch.aten.{{.*}}dycl.region = 1 : i64}
// CHECK-NEXT:    %c = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %d = torch.aten.{{.*}}dycl.region = 1 : i64}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.sinh %x {dycl.backend = "cpu"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.neg %x {dycl.backend = "toy"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %d = torch.aten.cosh %x {dycl.backend = "cpu"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %a, %b, %c, %d : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}
