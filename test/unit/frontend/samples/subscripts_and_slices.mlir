builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@subscripts_and_slices.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @subscripts_and_slices.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 1 : i64
    %1 = dycl.constant #dycl.none
    %2 = dycl.constant #dycl.none
    %3 = dycl.slice(%0, %1, %2)
    %4 = dycl.constant #dycl.none
    %5 = dycl.constant #dycl.none
    %6 = dycl.constant 2 : i64
    %7 = dycl.slice(%4, %5, %6)
    %8 = dycl.tuple(%3, %7)
    %9 = dycl.subscript %x[%8]
    %10 = dycl.constant 0 : i64
    dycl.store_subscript %x[%10], %9
    %11 = dycl.constant -1 : i64
    %12 = dycl.constant #dycl.none
    %13 = dycl.constant #dycl.global<"builtins.Ellipsis">
    %14 = dycl.tuple(%11, %12, %13)
    %15 = dycl.subscript %x[%14]
    dycl.return %15
  }
}
