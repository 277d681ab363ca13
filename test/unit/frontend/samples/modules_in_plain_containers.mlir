builtin.module {
  dycl.object @"" "modules_in_plain_containers.Net" {__mro__ = ["modules_in_plain_containers.Net", "torch.nn.modules.module.Module"], forward = #dycl.function<@modules_in_plain_containers.Net.forward>, heads = #dycl.dict<["a", @"heads['a']", "b", [@"heads['b'][0]"]]>, training = true}
  dycl.object @"heads['a']" "torch.nn.modules.activation.ReLU" {__leaf__ = "torch.nn.modules.activation.ReLU", __mro__ = ["torch.nn.modules.activation.ReLU", "torch.nn.modules.module.Module"], inplace = false, training = true}
  dycl.object @"heads['b'][0]" "torch.nn.modules.activation.Tanh" {__leaf__ = "torch.nn.modules.activation.Tanh", __mro__ = ["torch.nn.modules.activation.Tanh", "torch.nn.modules.module.Module"], training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @modules_in_plain_containers.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %heads = dycl.getattr %self "heads"
    %0 = dycl.constant "a"
    %1 = dycl.subscript %heads[%0]
    %2 = dycl.call %1(%x)
    %heads_1 = dycl.getattr %self "heads"
    %3 = dycl.constant "b"
    %4 = dycl.subscript %heads_1[%3]
    %5 = dycl.constant 0 : i64
    %6 = dycl.subscript %4[%5]
    %7 = dycl.call %6(%x)
    %8 = dycl.binary add %2, %7
    dycl.return %8
  }
}
