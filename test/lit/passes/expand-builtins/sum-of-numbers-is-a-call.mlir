// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Python's `sum` of floats is not a chain of additions (from 3.12 on).

// CHECK: %r = dycl.builtin "builtins.sum"(%{{.*}}, %a, %b) : (!dycl.value, !torch.float, !torch.float) -> !torch.float
func.func @forward(%a: !torch.float, %b: !torch.float) attributes {dycl.entry} {
  %sum = dycl.constant #dycl.global<"builtins.sum">
  %l = dycl.list(%a, %b) : (!torch.float, !torch.float) -> !dycl.value
  %r = dycl.call %sum(%l)
  dycl.return %r
}
