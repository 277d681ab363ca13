builtin.module {
  func.func @forward(%x: !dycl.value, %box: !dycl.value) attributes {dycl.entry, dycl.params = ["x", "box"]} {
    %0 = dycl.constant #dycl.function<@augmented_assignment.forward>
    %1 = dycl.call %0(%x, %box)
    dycl.return %1
  }
  func.func @augmented_assignment.forward(%x: !dycl.value, %box: !dycl.value) -> !dycl.value attributes {dycl.params = ["x", "box"]} {
    %0 = dycl.constant 1 : i64
    %x_1 = dycl.inplace add %x, %0
    %1 = dycl.getattr %box "count"
    %2 = dycl.inplace sub %1, %x_1
    dycl.setattr %box "count", %2
    %items = dycl.getattr %box "items"
    %3 = dycl.subscript %items[%x_1]
    %4 = dycl.constant 2 : i64
    %5 = dycl.inplace mul %3, %4
    dycl.store_subscript %items[%x_1], %5
    dycl.return %box
  }
}
