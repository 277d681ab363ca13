builtin.module {
  dycl.object @"" "no_grad.Net" {__mro__ = ["no_grad.Net", "torch.nn.modules.module.Module"], forward = #dycl.function<@no_grad.Net.forward>, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @no_grad.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.constant #dycl.global<"torch.autograd.grad_mode.no_grad">
    %1 = dycl.call %0()
    %2 = dycl.invoke %1 "__enter__"() {with = "torch.no_grad()"}
    %3 = dycl.constant 2 : i64
    %y = dycl.binary mul %x, %3
    %4 = dycl.constant #dycl.none
    %5 = dycl.constant #dycl.none
    %6 = dycl.constant #dycl.none
    %7 = dycl.invoke %1 "__exit__"(%4, %5, %6)
    %8 = dycl.constant #dycl.global<"torch.relu">
    %9 = dycl.call %8(%y)
    dycl.return %9
  }
}
