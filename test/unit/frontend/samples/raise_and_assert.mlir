builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@raise_and_assert.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @raise_and_assert.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 0 : i64
    %1 = dycl.compare gt %x, %0
    %2 = dycl.to_bool %1
    dycl.if %2 {
    } else {
      %3 = dycl.constant "positive"
      dycl.raise "builtins.AssertionError"(%3)
    } {test = "x > 0"}
    %4 = dycl.constant 9 : i64
    %5 = dycl.compare gt %x, %4
    %6 = dycl.to_bool %5
    dycl.if %6 {
      dycl.raise "builtins.ValueError"(%x)
    } {test = "x > 9"}
    dycl.return %x
  }
}
