func.func @f(%x: !torch.vtensor<[?,3],f32>) -> !torch.vtensor<[?,3],f32> {
  %0 = torch.symbolic_int "s0" {min_val = 2, max_val = 9223372036854775807} : !torch.int
  torch.bind_symbolic_shape %x, [%0], affine_map<()[s0] -> (s0, 3)> : !torch.vtensor<[?,3],f32>
  %i = torch.constant.int 0
  %1 = torch.aten.size.int %x, %i : !torch.vtensor<[?,3],f32>, !torch.int -> !torch.int
  %2 = torch.tensor_static_info_cast %x : !torch.vtensor<[?,3],f32> to !torch.vtensor
  %3 = torch.tensor_static_info_cast %2 : !torch.vtensor to !torch.vtensor<[?,3],f32>
  return %3 : !torch.vtensor<[?,3],f32>
}
