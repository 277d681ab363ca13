// RUN: dycl-opt --dycl-word-tensors --verify-diagnostics %s | filecheck %s

// What is printed says more than what is raised: both are one text.

// CHECK:      dycl.invoke %f "format"(%x)
func.func @forward(%p: !torch.bool, %x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %f = dycl.constant "{}"
  %print = dycl.constant #dycl.global<"builtins.print">
  // expected-remark@+1 {{the text is used elsewhere}}
  %s = dycl.invoke %f "format"(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %0 = dycl.call %print(%s)
  dycl.if %p : !torch.bool {
    dycl.raise "builtins.ValueError"(%s)
  } {test = "p"}
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
