builtin.module {
  dycl.object @"" "static_method.Net" {__mro__ = ["static_method.Net", "torch.nn.modules.module.Module"], __static__ = ["doubled"], doubled = #dycl.function<@static_method.Net.doubled>, forward = #dycl.function<@static_method.Net.forward>, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @static_method.Net.doubled(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
    %0 = dycl.constant 2 : i64
    %1 = dycl.binary mul %x, %0
    dycl.return %1
  }
  func.func @static_method.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.invoke %self "doubled"(%x)
    dycl.return %0
  }
}
