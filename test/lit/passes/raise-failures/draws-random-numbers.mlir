// REQUIRES: torch
// RUN: dycl-opt %s --dycl-raise-failures | filecheck %s

// A path that draws random numbers is left to the run; dropout draws in training only.
// What every run gets to is left alone: that is refused.

builtin.module {
  func.func @forward(%p: !torch.bool, %a: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["p", "a"]} {
    %rand = dycl.constant #dycl.global<"torch.rand_like">
    %dropout = dycl.constant #dycl.global<"torch.nn.functional.dropout">
    %half = dycl.constant 0.5 : f64
    %false = dycl.constant false
    %z = dycl.call %rand(%a) : (!dycl.value, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.if %p : !torch.bool {
      %y = dycl.call %rand(%a) : (!dycl.value, !torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
      dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
    }
    dycl.if %p : !torch.bool {
      %y = dycl.call %dropout(%a, %half, %false) : (!dycl.value, !torch.vtensor<[2],f32>, !dycl.value, !dycl.value) -> !torch.vtensor<[2],f32>
      dycl.return %y : (!torch.vtensor<[2],f32>) -> ()
    }
    dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
  }
}

// CHECK:      %z = dycl.call %rand(%a)
// CHECK:      dycl.if %p
// CHECK-NEXT:   [[TEXT:%[0-9]+]] = dycl.constant "torch op aten.rand_like draws random numbers, and a compiled network does not"
// CHECK-NEXT:   dycl.raise "builtins.NotImplementedError"([[TEXT]])
// CHECK:      dycl.if %p
// CHECK-NEXT:   dycl.call %dropout
