func.func @f(%c: !torch.bool, %i: !torch.int) -> !torch.int {
  %0 = "torch.prim.If"(%c) ({
    "torch.prim.If.yield"(%i) : (!torch.int) -> ()
  }, {
    "torch.prim.If.yield"(%i) : (!torch.int) -> ()
  }) : (!torch.bool) -> !torch.int
  %1 = "torch.constant.number"() <{value = 5.5 : f64}> : () -> !torch.number
  %2 = "torch.operator"(%i) <{name = "my.op"}> : (!torch.int) -> !torch.int
  return %0 : !torch.int
}
