// RUN: dycl-opt --dycl-fold-batch-norm %s | filecheck %s

// A convolution without a bias has one afterwards: beta - mean * s.

// CHECK-LABEL: func.func @k(
// CHECK:         [[S:%[0-9]+]] = torch.aten.mul.Tensor {{%[0-9]+}}, %gamma
// CHECK-NEXT:    [[E:%[0-9]+]] = torch.aten.mul.Tensor %mean, [[S]]
// CHECK-NEXT:    [[B:%[0-9]+]] = torch.aten.sub.Tensor %beta, [[E]]
// CHECK:         [[F:%[0-9]+]] = torch.aten.view [[S]], {{.*}} -> !torch.vtensor<[4,1,1,1],f32>
// CHECK-NEXT:    [[W:%[0-9]+]] = torch.aten.mul.Tensor %w, [[F]]
// CHECK-NEXT:    %z = torch.aten.conv2d %x, [[W]], [[B]], %ones, %zeros, %ones, %int1
// CHECK-NEXT:    func.return %z
func.func @k(%x: !torch.vtensor<[1,8,6,6],f32>, %w: !torch.vtensor<[4,8,3,3],f32> {dycl.weight}, %gamma: !torch.vtensor<[4],f32> {dycl.weight}, %beta: !torch.vtensor<[4],f32> {dycl.weight}, %mean: !torch.vtensor<[4],f32> {dycl.weight}, %var: !torch.vtensor<[4],f32> {dycl.weight}) -> !torch.vtensor<[1,4,4,4],f32> attributes {dycl.kernel} {
  %int1 = torch.constant.int 1
  %int0 = torch.constant.int 0
  %none = torch.constant.none
  %ones = torch.prim.ListConstruct %int1, %int1 : (!torch.int, !torch.int) -> !torch.list<int>
  %zeros = torch.prim.ListConstruct %int0, %int0 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.conv2d %x, %w, %none, %ones, %zeros, %ones, %int1 : !torch.vtensor<[1,8,6,6],f32>, !torch.vtensor<[4,8,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int -> !torch.vtensor<[1,4,4,4],f32>
  %train = torch.constant.bool false
  %momentum = torch.constant.float 1.000000e-01
  %eps = torch.constant.float 1.000000e-05
  %fast = torch.constant.bool true
  %z = torch.aten.batch_norm %y, %gamma, %beta, %mean, %var, %train, %momentum, %eps, %fast : !torch.vtensor<[1,4,4,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.vtensor<[1,4,4,4],f32>
  func.return %z : !torch.vtensor<[1,4,4,4],f32>
}
