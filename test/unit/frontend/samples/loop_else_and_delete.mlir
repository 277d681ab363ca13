builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@loop_else_and_delete.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @loop_else_and_delete.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.unsupported "DY111" "`else` after a loop cannot be compiled" "set a flag before `break` and test it after the loop"
    %1 = dycl.unbound "i"
    %i = dycl.for %i_1 in %x carry(%i_2 = %1) {
      dycl.yield %i_1
    } {test = "i in x"}
    %2 = dycl.unbound "i"
    dycl.return %2
  }
}
