builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@comparison_chain.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @comparison_chain.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 0 : i64
    %1 = dycl.compare lt %0, %x
    %2 = dycl.to_bool %1
    %3 = dycl.if %2 -> (!dycl.value) {
      %4 = dycl.constant 3 : i64
      %5 = dycl.compare le %x, %4
      dycl.yield %5
    } else {
      dycl.yield %1
    } {test = "0 < x <= 3"}
    dycl.return %3
  }
}
