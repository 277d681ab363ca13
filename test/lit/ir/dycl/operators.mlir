// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Types are left out when all are Python values, and written when any is not.

func.func @f(%a: !dycl.value, %b: !dycl.value) -> !dycl.value {
  // CHECK: %0 = dycl.unary neg %a
  %0 = dycl.unary neg %a
  // CHECK-NEXT: %1 = dycl.unary pos %a
  %1 = dycl.unary pos %a
  // CHECK-NEXT: %2 = dycl.unary invert %a
  %2 = dycl.unary invert %a
  // CHECK-NEXT: %3 = dycl.unary not %a
  %3 = dycl.unary not %a
  // CHECK-NEXT: %4 = dycl.binary add %a, %b
  %4 = dycl.binary add %a, %b
  // CHECK-NEXT: %5 = dycl.binary matmul %a, %b
  %5 = dycl.binary matmul %a, %b
  // CHECK-NEXT: %6 = dycl.binary rshift %a, %b
  %6 = dycl.binary rshift %a, %b
  // CHECK-NEXT: %7 = dycl.inplace truediv %a, %b
  %7 = dycl.inplace truediv %a, %b
  // CHECK-NEXT: %8 = dycl.compare is_not %a, %b
  %8 = dycl.compare is_not %a, %b
  // CHECK-NEXT: %9 = dycl.compare not_in %a, %b
  %9 = dycl.compare not_in %a, %b
  // CHECK-NEXT: %10 = dycl.to_bool %9
  %10 = dycl.to_bool %9
  // CHECK-NEXT: %11 = dycl.select %10, %a, %b
  %11 = dycl.select %10, %a, %b
  dycl.return %11
}

// CHECK-LABEL: @typed
func.func @typed(%a: !torch.int, %b: !torch.float, %p: !torch.bool) {
  // CHECK: %{{.*}} = dycl.binary add %a, %b : (!torch.int, !torch.float) -> !torch.float
  %0 = dycl.binary add %a, %b : (!torch.int, !torch.float) -> !torch.float
  // CHECK-NEXT: %{{.*}} = dycl.compare lt %a, %b : (!torch.int, !torch.float) -> !torch.bool
  %1 = dycl.compare lt %a, %b : (!torch.int, !torch.float) -> !torch.bool
  // CHECK-NEXT: %{{.*}} = dycl.unary neg %b : (!torch.float) -> !torch.float
  %2 = dycl.unary neg %b : (!torch.float) -> !torch.float
  // CHECK-NEXT: %{{.*}} = dycl.to_bool %a : (!torch.int) -> !torch.bool
  %3 = dycl.to_bool %a : (!torch.int) -> !torch.bool
  // CHECK-NEXT: dycl.select %p, %a, %a : (!torch.bool, !torch.int, !torch.int) -> !torch.int
  %4 = dycl.select %p, %a, %a : (!torch.bool, !torch.int, !torch.int) -> !torch.int
  dycl.return %4 : (!torch.int) -> ()
}
