// RUN: dycl-opt --dycl-fold-batch-norm %s | filecheck %s
// RUN: dycl-opt --dycl-fold-batch-norm --dycl-fold-batch-norm %s | filecheck %s

// weight * s and beta - (mean - bias) * s, where s = gamma / sqrt(var + eps).

// CHECK-LABEL: func.func @k(
// CHECK-NEXT:    %eps = torch.constant.float 1.000000e-05
// CHECK-NEXT:    [[ONE:%[0-9a-z_]+]] = torch.constant.int 1
// CHECK-NEXT:    [[V:%[0-9]+]] = torch.aten.add.Scalar %var, %eps, [[ONE]]
// CHECK-NEXT:    [[R:%[0-9]+]] = torch.aten.rsqrt [[V]]
// CHECK-NEXT:    [[S:%[0-9]+]] = torch.aten.mul.Tensor [[R]], %gamma
// CHECK-NEXT:    [[D:%[0-9]+]] = torch.aten.sub.Tensor %mean, %b, [[ONE]]
// CHECK-NEXT:    [[E:%[0-9]+]] = torch.aten.mul.Tensor [[D]], [[S]]
// CHECK-NEXT:    [[B:%[0-9]+]] = torch.aten.sub.Tensor %beta, [[E]], [[ONE]]
// CHECK:         [[F:%[0-9]+]] = torch.aten.view [[S]], {{.*}} -> !torch.vtensor<[4,1],f32>
// CHECK-NEXT:    [[W:%[0-9]+]] = torch.aten.mul.Tensor %w, [[F]]
// CHECK-NEXT:    %z = torch.aten.linear %x, [[W]], [[B]]
// CHECK-NEXT:    func.return %z
func.func @k(%x: !torch.vtensor<[2,8],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}, %b: !torch.vtensor<[4],f32> {dycl.weight}, %gamma: !torch.vtensor<[4],f32> {dycl.weight}, %beta: !torch.vtensor<[4],f32> {dycl.weight}, %mean: !torch.vtensor<[4],f32> {dycl.weight}, %var: !torch.vtensor<[4],f32> {dycl.weight}) -> !torch.vtensor<[2,4],f32> attributes {dycl.kernel} {
  %y = torch.aten.linear %x, %w, %b : !torch.vtensor<[2,8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[2,4],f32>
  %train = torch.constant.bool false
  %momentum = torch.constant.float 1.000000e-01
  %eps = torch.constant.float 1.000000e-05
  %fast = torch.constant.bool true
  %z = torch.aten.batch_norm %y, %gamma, %beta, %mean, %var, %train, %momentum, %eps, %fast : !torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.vtensor<[2,4],f32>
  func.return %z : !torch.vtensor<[2,4],f32>
}
