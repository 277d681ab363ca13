// RUN: dycl-opt --dycl-widen-vectors %s | filecheck %s
// RUN: dycl-opt --dycl-widen-vectors --dycl-widen-vectors %s | filecheck %s

// The vector of a linear layer in a kernel becomes a row; a matrix, and a vector of
// integers, stay what they are.

// CHECK-LABEL: func.func @k
// CHECK:         %0 = torch.constant.int 0
// CHECK-NEXT:    %1 = torch.aten.unsqueeze %v, %0 : !torch.vtensor<[8],f32>, !torch.int -> !torch.vtensor<[1,8],f32>
// CHECK-NEXT:    %2 = torch.aten.linear %1, %w, %b : {{.*}} -> !torch.vtensor<[1,4],f32>
// CHECK-NEXT:    %y = torch.aten.squeeze.dim %2, %0 : !torch.vtensor<[1,4],f32>, !torch.int -> !torch.vtensor<[4],f32>
// CHECK-NEXT:    %z = torch.aten.linear %x, %w, %b : {{.*}} -> !torch.vtensor<[3,4],f32>
// CHECK-NEXT:    %i = torch.aten.linear %n, %m, %o
func.func @k(%v: !torch.vtensor<[8],f32>, %x: !torch.vtensor<[3,8],f32>, %w: !torch.vtensor<[4,8],f32>, %b: !torch.vtensor<[4],f32>, %n: !torch.vtensor<[8],si64>, %m: !torch.vtensor<[4,8],si64>, %o: !torch.vtensor<[4],si64>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[3,4],f32>, !torch.vtensor<[4],si64>) attributes {dycl.kernel} {
  %y = torch.aten.linear %v, %w, %b : !torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %z = torch.aten.linear %x, %w, %b : !torch.vtensor<[3,8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[3,4],f32>
  %i = torch.aten.linear %n, %m, %o : !torch.vtensor<[8],si64>, !torch.vtensor<[4,8],si64>, !torch.vtensor<[4],si64> -> !torch.vtensor<[4],si64>
  func.return %y, %z, %i : !torch.vtensor<[4],f32>, !torch.vtensor<[3,4],f32>, !torch.vtensor<[4],si64>
}
