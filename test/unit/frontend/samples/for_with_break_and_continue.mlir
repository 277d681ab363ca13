builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@for_with_break_and_continue.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @for_with_break_and_continue.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %total = dycl.constant 0 : i64
    %0 = dycl.constant #dycl.global<"builtins.range">
    %1 = dycl.constant 3 : i64
    %2 = dycl.call %0(%1)
    %3 = dycl.unbound "i"
    %i, %total_1 = dycl.for %i_1 in %2 carry(%i_2 = %3, %total_2 = %total) {
      %4 = dycl.compare eq %i_1, %x
      %5 = dycl.to_bool %4
      dycl.if %5 {
        dycl.continue %i_1, %total_2
      } {test = "i == x"}
      %total_3 = dycl.inplace add %total_2, %i_1
      %6 = dycl.compare gt %total_3, %x
      %7 = dycl.to_bool %6
      dycl.if %7 {
        dycl.break %i_1, %total_3
      } {test = "total > x"}
      dycl.yield %i_1, %total_3
    } {test = "i in range(3)"}
    dycl.return %total_1
  }
}
