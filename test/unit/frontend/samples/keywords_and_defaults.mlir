builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@keywords_and_defaults.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @keywords_and_defaults.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@keywords_and_defaults.scaled>
    %1 = dycl.call %0(%x)
    %2 = dycl.constant #dycl.function<@keywords_and_defaults.scaled>
    %3 = dycl.constant 2 : i64
    %4 = dycl.call %2(%x, %3)
    %5 = dycl.binary add %1, %4
    %6 = dycl.constant #dycl.function<@keywords_and_defaults.scaled>
    %7 = dycl.constant 1 : i64
    %8 = dycl.call %6(by = %x, x = %7, shift = %x)
    %9 = dycl.binary add %5, %8
    dycl.return %9
  }
  func.func @keywords_and_defaults.scaled(%x: !dycl.value, %by: !dycl.value, %shift: !dycl.value) -> !dycl.value attributes {dycl.params = ["x", "by", "shift"], dycl.keyword_only = ["shift"], dycl.defaults = {by = 3 : i64, shift = 0 : i64}} {
    %0 = dycl.binary mul %x, %by
    %1 = dycl.binary add %0, %shift
    dycl.return %1
  }
}
