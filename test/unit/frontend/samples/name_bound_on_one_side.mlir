builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@name_bound_on_one_side.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @name_bound_on_one_side.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 0 : i64
    %1 = dycl.compare gt %x, %0
    %2 = dycl.to_bool %1
    %y = dycl.if %2 -> (!dycl.value) {
      %y_1 = dycl.constant 1 : i64
      dycl.yield %y_1
    } else {
      %3 = dycl.unbound "y"
      dycl.yield %3
    } {test = "x > 0"}
    dycl.return %y
  }
}
