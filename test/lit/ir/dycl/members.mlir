// RUN: dycl-opt %s | dycl-opt | filecheck %s

func.func @f(%self: !dycl.value, %x: !dycl.value) -> !dycl.value {
  // CHECK: %w = dycl.getattr %self "weight"
  %w = dycl.getattr %self "weight"
  // CHECK-NEXT: dycl.setattr %self "last", %x
  dycl.setattr %self "last", %x
  // CHECK-NEXT: dycl.return %w
  dycl.return %w
}
