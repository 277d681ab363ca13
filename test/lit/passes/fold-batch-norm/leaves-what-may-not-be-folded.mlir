// RUN: dycl-opt --dycl-fold-batch-norm --verify-diagnostics %s | filecheck %s

// Weights that may differ from call to call, a layer whose own result is used, and a
// batch norm that counts what it sees stay as they are.

// CHECK-LABEL: func.func @inputs(
// CHECK:         torch.aten.linear %x, %w, %b
// CHECK:         torch.aten.batch_norm
// CHECK-LABEL: func.func @two_users(
// CHECK:         torch.aten.linear %x, %w, %b
// CHECK:         torch.aten.batch_norm
// CHECK-LABEL: func.func @training(
// CHECK:         torch.aten.linear %x, %w, %b
// CHECK:         torch.aten.batch_norm
func.func @inputs(%x: !torch.vtensor<[2,8],f32>, %w: !torch.vtensor<[4,8],f32>, %b: !torch.vtensor<[4],f32>, %gamma: !torch.vtensor<[4],f32>, %beta: !torch.vtensor<[4],f32>, %mean: !torch.vtensor<[4],f32>, %var: !torch.vtensor<[4],f32>) -> !torch.vtensor<[2,4],f32> attributes {dycl.kernel} {
  %y = torch.aten.linear %x, %w, %b : !torch.vtensor<[2,8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[2,4],f32>
  %train = torch.constant.bool false
  %momentum = torch.constant.float 1.000000e-01
  %eps = torch.constant.float 1.000000e-05
  %fast = torch.constant.bool true
  // expected-remark @+1 {{a weight is not the same in every call}}
  %z = torch.aten.batch_norm %y, %gamma, %beta, %mean, %var, %train, %momentum, %eps, %fast : !torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.vtensor<[2,4],f32>
  func.return %z : !torch.vtensor<[2,4],f32>
}
func.func @two_users(%x: !torch.vtensor<[2,8],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}, %b: !torch.vtensor<[4],f32> {dycl.weight}, %gamma: !torch.vtensor<[4],f32> {dycl.weight}, %beta: !torch.vtensor<[4],f32> {dycl.weight}, %mean: !torch.vtensor<[4],f32> {dycl.weight}, %var: !torch.vtensor<[4],f32> {dycl.weight}) -> (!torch.vtensor<[2,4],f32>, !torch.vtensor<[2,4],f32>) attributes {dycl.kernel} {
  %y = torch.aten.linear %x, %w, %b : !torch.vtensor<[2,8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[2,4],f32>
  %train = torch.constant.bool false
  %momentum = torch.constant.float 1.000000e-01
  %eps = torch.constant.float 1.000000e-05
  %fast = torch.constant.bool true
  // expected-remark @+1 {{the layer's own result is used as well}}
  %z = torch.aten.batch_norm %y, %gamma, %beta, %mean, %var, %train, %momentum, %eps, %fast : !torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.vtensor<[2,4],f32>
  %r = torch.aten.relu %y : !torch.vtensor<[2,4],f32> -> !torch.vtensor<[2,4],f32>
  func.return %z, %r : !torch.vtensor<[2,4],f32>, !torch.vtensor<[2,4],f32>
}
func.func @training(%x: !torch.vtensor<[2,8],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}, %b: !torch.vtensor<[4],f32> {dycl.weight}, %gamma: !torch.vtensor<[4],f32> {dycl.weight}, %beta: !torch.vtensor<[4],f32> {dycl.weight}, %mean: !torch.vtensor<[4],f32> {dycl.weight}, %var: !torch.vtensor<[4],f32> {dycl.weight}) -> !torch.vtensor<[2,4],f32> attributes {dycl.kernel} {
  %y = torch.aten.linear %x, %w, %b : !torch.vtensor<[2,8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[2,4],f32>
  %train = torch.constant.bool true
  %momentum = torch.constant.float 1.000000e-01
  %eps = torch.constant.float 1.000000e-05
  %fast = torch.constant.bool true
  // expected-remark @+1 {{it may count what it sees}}
  %z = torch.aten.batch_norm %y, %gamma, %beta, %mean, %var, %train, %momentum, %eps, %fast : !torch.vtensor<[2,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.vtensor<[2,4],f32>
  func.return %z : !torch.vtensor<[2,4],f32>
}
