// A type inside a torch type is written without its prefix.
// RUN: dycl-opt %s | dycl-opt | filecheck %s

// CHECK: func.func private @tensors(!torch.vtensor<[],f32>, !torch.vtensor<*,f32>, !torch.vtensor<[2,?],unk>, !torch.vtensor, !torch.tensor<[0],!torch.qint8>)
func.func private @tensors(!torch.vtensor<[],f32>, !torch.vtensor<*,f32>, !torch.vtensor<[2, ?], unk>, !torch.vtensor<*,unk>, !torch.tensor<[0],!torch.qint8>)
// CHECK: func.func private @containers(!torch.list<optional<vtensor<[1],si64>>>, !torch.tuple<none, str>, !torch.dict<str, tensor>, !torch.union<int, float>, !torch.nn.Module<"Net">)
func.func private @containers(!torch.list<optional<vtensor<[1],si64>>>, !torch.tuple<none,str>, !torch.dict<str, tensor>, !torch.union<int,float>, !torch.nn.Module<"Net">)
