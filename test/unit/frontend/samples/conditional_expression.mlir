builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@conditional_expression.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @conditional_expression.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 0 : i64
    %1 = dycl.compare gt %x, %0
    %2 = dycl.to_bool %1
    %3 = dycl.if %2 -> (!dycl.value) {
      %4 = dycl.constant 1 : i64
      %5 = dycl.binary add %x, %4
      dycl.yield %5
    } else {
      %6 = dycl.unary neg %x
      dycl.yield %6
    } {test = "x > 0"}
    dycl.return %3
  }
}
