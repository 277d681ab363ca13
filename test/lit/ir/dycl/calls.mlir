// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Positional arguments come first, then keywords in the order of the call.

func.func @f(%g: !dycl.value, %x: !dycl.value) -> !dycl.value {
  // CHECK: %a = dycl.call %g()
  %a = dycl.call %g()
  // CHECK-NEXT: %b = dycl.call %g(%x, %a)
  %b = dycl.call %g(%x, %a)
  // CHECK-NEXT: %c = dycl.call %g(%x, dim = %a, keepdim = %b)
  %c = dycl.call %g(%x, dim = %a, keepdim = %b)
  // CHECK-NEXT: %d = dycl.invoke %x "dim"()
  %d = dycl.invoke %x "dim"()
  // CHECK-NEXT: %e = dycl.invoke %x "sum"(%d, keepdim = %c)
  %e = dycl.invoke %x "sum"(%d, keepdim = %c)
  dycl.return %e
}
