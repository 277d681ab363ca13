builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@closures_and_globals.make.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @closures_and_globals.make.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 5.000000e-01 : f64
    %1 = dycl.binary mul %x, %0
    %2 = dycl.constant 3.1415926535897931 : f64
    %3 = dycl.binary add %1, %2
    %4 = dycl.constant [1 : i64, 2 : i64]
    %5 = dycl.constant 1 : i64
    %6 = dycl.subscript %4[%5]
    %7 = dycl.binary add %3, %6
    dycl.return %7
  }
}
