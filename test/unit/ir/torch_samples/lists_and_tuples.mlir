func.func @f(%x: !torch.vtensor<[1,?],f32>, %n: !torch.int) {
  %none = torch.constant.none
  %0 = torch.prim.ListConstruct %n, %n : (!torch.int, !torch.int) -> !torch.list<int>
  %1 = torch.prim.ListConstruct  : () -> !torch.list<int>
  %2 = torch.prim.ListConstruct %none, %x : (!torch.none, !torch.vtensor<[1,?],f32>) -> !torch.list<optional<vtensor>>
  %3 = torch.prim.TupleConstruct %x, %none : !torch.vtensor<[1,?],f32>, !torch.none -> !torch.tuple<vtensor<[1,?],f32>, none>
  %5:2 = torch.prim.TupleUnpack %3 : !torch.tuple<vtensor<[1,?],f32>, none> -> !torch.vtensor<[1,?],f32>, !torch.none
  %6 = torch.derefine %n : !torch.int to !torch.optional<int>
  return
}
