builtin.module {
  dycl.object @"" "super_forward.Net" {__mro__ = ["super_forward.Net", "super_forward.Base", "torch.nn.modules.module.Module"], forward = #dycl.function<@super_forward.Net.forward>, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @super_forward.Base.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.constant 2 : i64
    %1 = dycl.binary mul %x, %0
    dycl.return %1
  }
  func.func @super_forward.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.constant #dycl.function<@super_forward.Base.forward>
    %1 = dycl.call %0(%self, %x)
    %2 = dycl.constant 1 : i64
    %3 = dycl.binary add %1, %2
    dycl.return %3
  }
}
