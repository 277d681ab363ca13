builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@list_comprehension_with_filter.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @list_comprehension_with_filter.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %i = dycl.constant 7 : i64
    %0 = dycl.list()
    %1 = dycl.constant #dycl.global<"builtins.range">
    %2 = dycl.constant 4 : i64
    %3 = dycl.call %1(%2)
    dycl.for %i_1 in %3 {
      %4 = dycl.constant 1 : i64
      %5 = dycl.compare gt %i_1, %4
      %6 = dycl.to_bool %5
      dycl.if %6 {
        %7 = dycl.binary mul %i_1, %x
        %8 = dycl.invoke %0 "append"(%7)
      } {test = "i > 1"}
    } {test = "i in range(4)"}
    %9 = dycl.tuple(%0, %i)
    dycl.return %9
  }
}
