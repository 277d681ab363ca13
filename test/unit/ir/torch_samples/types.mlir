func.func private @f(!torch.vtensor, !torch.tensor<*,f32>, !torch.vtensor<[2],unk>,
  !torch.vtensor<[],complex<f32>>, !torch.vtensor<[?,0],!torch.qint8>, !torch.any,
  !torch.number, !torch.Device, !torch.Generator, !torch.LinearParams,
  !torch.union<int, float>, !torch.dict<str, tensor>, !torch.nn.Module<"Net">,
  !torch.list<optional<tuple<none, list<vtensor<[1,?],bf16>>>>>, !torch.qint32)
