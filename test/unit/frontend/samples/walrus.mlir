builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@walrus.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @walrus.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 1 : i64
    %y = dycl.binary add %x, %0
    %1 = dycl.constant 2 : i64
    %2 = dycl.compare gt %y, %1
    %3 = dycl.to_bool %2
    dycl.if %3 {
      dycl.return %y
    } {test = "(y := x + 1) > 2"}
    dycl.return %x
  }
}
