builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@while_with_break.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @while_with_break.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %n = dycl.constant 0 : i64
    %n_1 = dycl.while carry(%n_2 = %n) {
      %0 = dycl.compare lt %n_2, %x
      %1 = dycl.to_bool %0
      dycl.condition %1, %n_2
    } do(%n_3) {
      %2 = dycl.constant 1 : i64
      %n_4 = dycl.binary add %n_3, %2
      %3 = dycl.constant 5 : i64
      %4 = dycl.compare eq %n_4, %3
      %5 = dycl.to_bool %4
      dycl.if %5 {
        dycl.break %n_4
      } {test = "n == 5"}
      dycl.yield %n_4
    } {test = "n < x"}
    dycl.return %n_1
  }
}
