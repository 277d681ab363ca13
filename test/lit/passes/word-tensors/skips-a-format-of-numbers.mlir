// RUN: dycl-opt --dycl-word-tensors --verify-diagnostics %s | filecheck %s

// Eager says of `{:.2f}` what is wrong with several elements.

// CHECK:      dycl.invoke %f "format"(%x)
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %f = dycl.constant "{:.2f}"
  // expected-remark@+1 {{its format is one of a number}}
  %s = dycl.invoke %f "format"(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  dycl.raise "builtins.ValueError"(%s)
}
