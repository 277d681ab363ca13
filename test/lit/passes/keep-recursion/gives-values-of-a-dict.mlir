// RUN: dycl-opt --dycl-keep-recursion %s | filecheck %s

// "f" gives dicts of the same keys on all paths: it gives the values. "g" has other
// keys on another path, and "k" one that is changed: these give the dict.

// CHECK:       dycl.local_function "f"(%a) {
// CHECK:         dycl.local_return %a, %p
// CHECK:         dycl.local_return %p, %a
// CHECK-NEXT:  } {keys = ["h", "n"], items = 2 : i64}
// CHECK:       dycl.local_return %d3
// CHECK:       dycl.local_return %d5
// CHECK:       %[[H:.*]], %[[N:.*]] = dycl.local_call "f"(%x) : (!dycl.value) -> (!dycl.value, !dycl.value)
// CHECK:       dycl.dict(%{{.*}}, %[[H]], %{{.*}}, %[[N]])
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %h = dycl.constant "h"
  %n = dycl.constant "n"
  dycl.local_function "f"(%a: !dycl.value) {
    %p = dycl.to_bool %a
    dycl.if %p {
      %d1 = dycl.dict(%h, %a, %n, %p)
      dycl.local_return %d1
    }
    %d2 = dycl.dict(%h, %p, %n, %a)
    dycl.local_return %d2
  }
  dycl.local_function "g"(%a: !dycl.value) {
    %p = dycl.to_bool %a
    dycl.if %p {
      %d3 = dycl.dict(%h, %a)
      dycl.local_return %d3
    }
    %d4 = dycl.dict(%n, %a)
    dycl.local_return %d4
  }
  dycl.local_function "k"(%a: !dycl.value) {
    %d5 = dycl.dict(%h, %a)
    dycl.store_subscript %d5[%h], %a
    dycl.local_return %d5
  }
  %y = dycl.local_call "f"(%x) : (!dycl.value) -> !dycl.value
  %z = dycl.local_call "g"(%x) : (!dycl.value) -> !dycl.value
  %w = dycl.local_call "k"(%x) : (!dycl.value) -> !dycl.value
  %t = dycl.tuple(%y, %z, %w)
  dycl.return %t
}
