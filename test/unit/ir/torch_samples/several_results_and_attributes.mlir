func.func @f(%x: !torch.vtensor<[2,3],f32>, %d: !torch.int, %k: !torch.bool) {
  %0:2 = torch.aten.max.dim %x, %d, %k : !torch.vtensor<[2,3],f32>, !torch.int, !torch.bool -> !torch.vtensor<[2],f32>, !torch.vtensor<[2],si64>
  %1 = torch.aten.relu %x {a = "x", b = 1 : i64} : !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,3],f32>
  torch.runtime.assert %k, "positive"
  return
}
