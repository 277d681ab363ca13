builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@early_return.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @early_return.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 0 : i64
    %1 = dycl.compare gt %x, %0
    %2 = dycl.to_bool %1
    dycl.if %2 {
      dycl.return %x
    } {test = "x > 0"}
    %y = dycl.unary neg %x
    dycl.return %y
  }
}
