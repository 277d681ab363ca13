builtin.module {
  dycl.object @"" "no_grad.Net" {__mro__ = ["no_grad.Net", "torch.nn.modules.module.Module"], forward = #dycl.function<@no_grad.Net.forward>, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @no_grad.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.constant 2 : i64
    %y = dycl.binary mul %x, %0
    %1 = dycl.constant #dycl.global<"torch.relu">
    %2 = dycl.call %1(%y)
    dycl.return %2
  }
}
