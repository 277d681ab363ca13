builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@loop_else_and_delete.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @loop_else_and_delete.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.unbound "i"
    %i = dycl.for %i_1 in %x carry(%i_2 = %0) {
      dycl.yield %i_1
    } {test = "i in x"}
    %x_1 = dycl.constant 1 : i64
    %1 = dycl.unbound "i"
    dycl.return %1
  }
}
