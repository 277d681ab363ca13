builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@if_elif_else.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @if_elif_else.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 2 : i64
    %1 = dycl.compare gt %x, %0
    %2 = dycl.to_bool %1
    %y = dycl.if %2 -> (!dycl.value) {
      %y_1 = dycl.constant 1 : i64
      dycl.yield %y_1
    } else {
      %3 = dycl.constant 1 : i64
      %4 = dycl.compare gt %x, %3
      %5 = dycl.to_bool %4
      %y_2 = dycl.if %5 -> (!dycl.value) {
        %y_3 = dycl.constant 2 : i64
        dycl.yield %y_3
      } else {
        %y_4 = dycl.constant 3 : i64
        dycl.yield %y_4
      } {test = "x > 1"}
      dycl.yield %y_2
    } {test = "x > 2"}
    dycl.return %y
  }
}
