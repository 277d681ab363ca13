// The index is read once for each row; dims before it are loops around.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-write-scatters | filecheck %s

// CHECK: scf.for %[[A:[a-z0-9]+]] =
// CHECK: scf.for %[[B:[a-z0-9]+]] =
// CHECK: %[[N:.*]] = tensor.extract %{{.*}}[%[[B]]]
// CHECK: %[[AT:.*]] = arith.index_cast %[[N]] {dycl.in_range}
// CHECK: scf.for %[[C:[a-z0-9]+]] = {{.*}} iter_args(%[[U:[a-z0-9]+]] =
// CHECK: tensor.extract %{{.*}}[%[[A]], %[[B]], %[[C]]]
// CHECK: tensor.extract %[[U]][%[[A]], %[[AT]], %[[C]]]
// CHECK: tensor.insert %{{.*}} into %[[U]][%[[A]], %[[AT]], %[[C]]]
// CHECK-NOT: torch.aten.index_put
func.func @k(%x: !torch.vtensor<[4,8,6],f32>, %i: !torch.vtensor<[5],si64>,
    %s: !torch.vtensor<[4,5,6],f32>) -> !torch.vtensor<[4,8,6],f32> {
  %none = torch.constant.none
  %true = torch.constant.bool true
  %at = torch.prim.ListConstruct %none, %i : (!torch.none, !torch.vtensor<[5],si64>)
      -> !torch.list<optional<vtensor>>
  %y = torch.aten.index_put %x, %at, %s, %true : !torch.vtensor<[4,8,6],f32>,
      !torch.list<optional<vtensor>>, !torch.vtensor<[4,5,6],f32>, !torch.bool
      -> !torch.vtensor<[4,8,6],f32>
  return %y : !torch.vtensor<[4,8,6],f32>
}
// CHECK: func.func @repeated
// CHECK: torch.aten.index_put
func.func @repeated(%x: !torch.vtensor<[8],f32>, %i: !torch.vtensor<[5],si64>,
    %s: !torch.vtensor<[1],f32>) -> !torch.vtensor<[8],f32> {
  %true = torch.constant.bool true
  %at = torch.prim.ListConstruct %i : (!torch.vtensor<[5],si64>)
      -> !torch.list<optional<vtensor>>
  %y = torch.aten.index_put %x, %at, %s, %true : !torch.vtensor<[8],f32>,
      !torch.list<optional<vtensor>>, !torch.vtensor<[1],f32>, !torch.bool
      -> !torch.vtensor<[8],f32>
  return %y : !torch.vtensor<[8],f32>
}
