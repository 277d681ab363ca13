builtin.module {
  func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry, dycl.params = ["x", "y"]} {
    %0 = dycl.constant #dycl.function<@and_or_not.forward>
    %1 = dycl.call %0(%x, %y)
    dycl.return %1
  }
  func.func @and_or_not.forward(%x: !dycl.value, %y: !dycl.value) -> !dycl.value attributes {dycl.params = ["x", "y"]} {
    %0 = dycl.constant 0 : i64
    %1 = dycl.compare gt %x, %0
    %2 = dycl.to_bool %1
    %3 = dycl.if %2 -> (!dycl.value) {
      %4 = dycl.constant 0 : i64
      %5 = dycl.compare gt %y, %4
      %6 = dycl.to_bool %5
      dycl.yield %6
    } else {
      dycl.yield %2
    } {test = "x > 0"}
    %7 = dycl.to_bool %3
    %8 = dycl.if %7 -> (!dycl.value) {
      dycl.yield %3
    } else {
      %9 = dycl.to_bool %y
      %10 = dycl.unary not %9
      dycl.yield %10
    } {test = "x > 0 and y > 0"}
    dycl.if %8 {
      %11 = dycl.constant 1 : i64
      dycl.return %11
    } {test = "x > 0 and y > 0 or not y"}
    %12 = dycl.to_bool %x
    %13 = dycl.if %12 -> (!dycl.value) {
      dycl.yield %y
    } else {
      dycl.yield %x
    } {test = "x"}
    dycl.return %13
  }
}
