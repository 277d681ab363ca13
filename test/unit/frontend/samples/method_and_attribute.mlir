builtin.module {
  dycl.object @"" "method_and_attribute.Net" {__mro__ = ["method_and_attribute.Net", "torch.nn.modules.module.Module"], forward = #dycl.function<@method_and_attribute.Net.forward>, gate = #dycl.function<@method_and_attribute.Net.gate>, kind = "fast", threshold = 5.000000e-01 : f64, training = true}
  func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x)
    dycl.return %1
  }
  func.func @method_and_attribute.Net.gate(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %0 = dycl.invoke %x "mean"()
    %threshold = dycl.getattr %self "threshold"
    %1 = dycl.compare gt %0, %threshold
    dycl.return %1
  }
  func.func @method_and_attribute.Net.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %kind = dycl.getattr %self "kind"
    %0 = dycl.constant "fast"
    %1 = dycl.compare eq %kind, %0
    %2 = dycl.to_bool %1
    %3 = dycl.if %2 -> (!dycl.value) {
      %4 = dycl.invoke %self "gate"(%x)
      %5 = dycl.to_bool %4
      dycl.yield %5
    } else {
      dycl.yield %2
    } {test = "self.kind == \22fast\22"}
    dycl.if %3 {
      dycl.return %x
    } {test = "self.kind == \22fast\22 and self.gate(x)"}
    %6 = dycl.constant #dycl.global<"torch.tanh">
    %7 = dycl.call %6(%x)
    dycl.return %7
  }
}
