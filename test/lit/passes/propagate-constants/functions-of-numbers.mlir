// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// A function of constant numbers is computed, unless Python raises: the run raises it.

// CHECK-LABEL: func.func @f
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.entry} {
  %four = dycl.constant 4.0 : f64 -> !torch.float
  %minus = dycl.constant -1.0 : f64 -> !torch.float
  // CHECK: %known = dycl.constant 2.000000e+00 : f64
  %known = dycl.builtin "math.sqrt"(%four) : (!torch.float) -> !torch.float
  // CHECK: %raises = dycl.builtin "math.sqrt"(%minus)
  %raises = dycl.builtin "math.sqrt"(%minus) : (!torch.float) -> !torch.float
  // CHECK: dycl.return %known, %raises
  dycl.return %known, %raises : (!torch.float, !torch.float) -> ()
}
