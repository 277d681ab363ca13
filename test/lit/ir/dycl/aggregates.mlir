// RUN: dycl-opt %s | dycl-opt | filecheck %s

func.func @f(%a: !dycl.value, %b: !dycl.value) -> !dycl.value {
  // CHECK: %t = dycl.tuple()
  %t = dycl.tuple()
  // CHECK-NEXT: %l = dycl.list(%a, %b)
  %l = dycl.list(%a, %b)
  // CHECK-NEXT: %d = dycl.dict(%a, %b, %b, %a)
  %d = dycl.dict(%a, %b, %b, %a)
  // CHECK-NEXT: %s = dycl.slice(%a, %b, %a)
  %s = dycl.slice(%a, %b, %a)
  // CHECK-NEXT: %i = dycl.subscript %l[%s]
  %i = dycl.subscript %l[%s]
  // CHECK-NEXT: dycl.store_subscript %l[%a], %b
  dycl.store_subscript %l[%a], %b
  // CHECK-NEXT: %u = dycl.update_subscript %l[%a, %b], %b
  %u = dycl.update_subscript %l[%a, %b], %b
  // CHECK-NEXT: %v = dycl.update_subscript add %l[%a], %b
  %v = dycl.update_subscript add %l[%a], %b
  // CHECK-NEXT: %x, %y, %z = dycl.unpack %i -> 3
  %x, %y, %z = dycl.unpack %i -> 3
  // CHECK-NEXT: dycl.unpack %i -> 0
  dycl.unpack %i -> 0
  dycl.return %z
}
