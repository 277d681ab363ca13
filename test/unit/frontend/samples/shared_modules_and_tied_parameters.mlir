builtin.module {
  dycl.object @"" "shared_modules_and_tied_parameters.Net" {__mro__ = ["shared_modules_and_tied_parameters.Net", "torch.nn.modules.module.Module"], a = @a, b = @a, c = @c, forward = #dycl.function<@shared_modules_and_tied_parameters.Net.forward>, training = true}
  dycl.object @a "torch.nn.modules.linear.Linear" {__leaf__ = "torch.nn.modules.linear.Linear", __mro__ = ["torch.nn.modules.linear.Linear", "torch.nn.modules.module.Module"], bias = #dycl.none, in_features = 2 : i64, out_features = 2 : i64, training = true, weight = #dycl.param<"a.weight", [2 : i64, 2 : i64], f32>}
  dycl.object @c "torch.nn.modules.linear.Linear" {__leaf__ = "torch.nn.modules.linear.Linear", __mro__ = ["torch.nn.modules.linear.Linear", "torch.nn.modules.module.Module"], bias = #dycl.none, in_features = 2 : i64, out_features = 2 : i64, training = true, weight = #dycl.param<"a.weight", [2 : i64, 2 : i64], f32>}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @shared_modules_and_tied_parameters.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.invoke %self "a"(%x)
    %1 = dycl.invoke %self "b"(%0)
    %2 = dycl.invoke %self "c"(%1)
    dycl.return %2
  }
}
