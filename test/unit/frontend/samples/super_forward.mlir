builtin.module {
  dycl.object @"" "super_forward.Net" {__mro__ = ["super_forward.Net", "super_forward.Base", "torch.nn.modules.module.Module"], forward = #dycl.function<@super_forward.Net.forward>, "super(super_forward.Net).forward" = #dycl.function<@super_forward.Base.forward>, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @super_forward.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.invoke %self "super(super_forward.Net).forward"(%x)
    %1 = dycl.constant 1 : i64
    %2 = dycl.binary add %0, %1
    dycl.return %2
  }
  func.func @super_forward.Base.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.constant 2 : i64
    %1 = dycl.binary mul %x, %0
    dycl.return %1
  }
}
