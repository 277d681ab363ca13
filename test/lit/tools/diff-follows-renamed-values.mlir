// RUN: dycl-opt -p cse --print-ir-after-change %s 2>&1 >/dev/null | filecheck %s

// Unnamed values are numbered anew when one before them goes: only what is done shows.

// CHECK:      // ---- cse
// CHECK:          %0 = dycl.constant 2 : i64
// CHECK-NEXT: -    %1 = dycl.constant 2 : i64
// CHECK-NEXT:      %2 = dycl.unary neg %0
// CHECK-NEXT: -    %3 = dycl.binary mul %2, %1
// CHECK-NEXT: +    %3 = dycl.binary mul %2, %0
// CHECK-NEXT:      %4 = dycl.unary neg %3
// CHECK-NEXT:      dycl.return %4

func.func @forward() -> !dycl.value {
  %0 = dycl.constant 2 : i64
  %1 = dycl.constant 2 : i64
  %2 = dycl.unary neg %0
  %3 = dycl.binary mul %2, %1
  %4 = dycl.unary neg %3
  dycl.return %4
}
