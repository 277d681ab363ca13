// RUN: dycl-opt --dycl-merge-backend-regions %s | filecheck %s

// Two engines and our own code in one kernel.

// CHECK-LABEL: func.func @k(
// CHECK:         %a = torch.aten.{{.*}}dycl.region = 0 : i64}
// CHECK-NEXT:    %b = torch.aten.{{.*}}dycl.region = 1 : i64}
// CHECK-NEXT:    %c = torch.aten.{{.*}}dycl.region = 2 : i64}
// CHECK-NEXT:    %d = torch.aten.{{.*}}dycl.region = 3 : i64}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "one"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.exp %a {dycl.backend = "two"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.sinh %b {dycl.backend = "cpu"} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %d = torch.aten.mul.Tensor %a, %c {dycl.backend = "one"} : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %d : !torch.vtensor<[2],f32>
}
