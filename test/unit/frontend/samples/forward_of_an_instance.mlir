builtin.module {
  dycl.object @"" "forward_of_an_instance.Net" {__mro__ = ["forward_of_an_instance.Net", "torch.nn.modules.module.Module"], __static__ = ["forward"], forward = #dycl.function<@forward_of_an_instance.doubled>, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @forward_of_an_instance.doubled(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 2 : i64
    %1 = dycl.binary mul %x, %0
    dycl.return %1
  }
}
