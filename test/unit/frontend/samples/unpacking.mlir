builtin.module {
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant #dycl.function<@unpacking.forward>
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @unpacking.forward(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %a, %0 = dycl.unpack %x -> 2
    %b, %c = dycl.unpack %0 -> 2
    %1 = dycl.tuple(%b, %a)
    %a_1, %b_1 = dycl.unpack %1 -> 2
    %2 = dycl.tuple(%a_1, %b_1, %c)
    dycl.return %2
  }
}
