builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@f_string.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @f_string.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 1 : i64
    %1 = dycl.binary add %x, %0
    %2 = dycl.constant "{{block}} {!r:>4} of {}"
    %3 = dycl.invoke %2 "format"(%x, %1)
    dycl.return %3
  }
}
