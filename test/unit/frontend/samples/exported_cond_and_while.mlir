builtin.module {
  func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.param<"fc.weight", [4 : i64, 4 : i64], f32>
    %1 = dycl.constant #dycl.param<"fc.bias", [4 : i64], f32>
    %2 = dycl.constant #dycl.param<"lifted_tensor_0", [], si64>
    %while_loop, %while_loop_1 = dycl.while carry(%3 = %2, %4 = %x : !torch.vtensor<[1,4],f32>) {
      %5 = dycl.constant #dycl.global<"torch.ops.aten.sum.default">
      %sum = dycl.call %5(%4)
      %6 = dycl.constant #dycl.global<"torch.ops.aten.lt.Scalar">
      %7 = dycl.constant 9 : i64
      %lt = dycl.call %6(%sum, %7)
      %8 = dycl.to_bool %lt
      dycl.condition %8, %3, %4
    } do(%9, %10) {
      %11 = dycl.constant #dycl.global<"torch.ops.aten.min.default">
      %min = dycl.call %11(%10)
      %12 = dycl.constant #dycl.global<"torch.ops.aten.lt.Scalar">
      %13 = dycl.constant 0 : i64
      %lt_1 = dycl.call %12(%min, %13)
      %14 = dycl.to_bool %lt_1
      %cond = dycl.if %14 -> (!dycl.value) {
        %15 = dycl.constant #dycl.global<"torch.ops.aten.add.Tensor">
        %16 = dycl.constant 1 : i64
        %add = dycl.call %15(%10, %16)
        dycl.yield %add
      } else {
        %17 = dycl.constant #dycl.global<"torch.ops.aten.linear.default">
        %linear = dycl.call %17(%10, %0, %1)
        dycl.yield %linear
      } {test = "lt"}
      %18 = dycl.constant #dycl.global<"torch.ops.aten.add.Tensor">
      %19 = dycl.constant 1 : i64
      %add_1 = dycl.call %18(%9, %19)
      dycl.yield %add_1, %cond
    } {test = "y.sum() < 9"}
    %20 = dycl.constant #dycl.none
    %21 = dycl.list(%while_loop, %20)
    %22 = dycl.constant "y"
    %23 = dycl.constant "steps"
    %24 = dycl.dict(%22, %while_loop_1, %23, %21)
    dycl.return %24
  }
}
