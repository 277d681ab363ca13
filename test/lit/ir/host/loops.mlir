// RUN: dycl-opt %s | dycl-opt | filecheck %s
// RUN: dycl-opt %s | dycl-opt --dycl-check-host | filecheck %s

// CHECK:      %y, %n = host.while carry(%a : memref<1xf32> = %x : memref<1xf32>, %i : i64 = %zero : i64) {
// CHECK-NEXT:   host.condition %c, %a, %i : memref<1xf32>, i64
// CHECK-NEXT: } do(%b, %j) {
// CHECK-NEXT:   host.if %c {
// CHECK-NEXT:     host.break %b, %j : memref<1xf32>, i64
// CHECK-NEXT:   } else {
// CHECK-NEXT:     host.continue %b, %j : memref<1xf32>, i64
// CHECK-NEXT:   }
// CHECK-NEXT:   %k = host.keep %b : memref<1xf32> -> memref<1xf32>
// CHECK-NEXT:   host.yield %k, %j : memref<1xf32>, i64
// CHECK-NEXT: } {name = "loop 1", test = "c"}
// CHECK-NEXT: host.while {
// CHECK-NEXT:   host.condition %c
// CHECK-NEXT: } do {
// CHECK-NEXT: }
host.func @forward(%x : memref<1xf32>, %c : i1) params ["x", "c"] {
  %zero = dycl.constant 0 : i64 -> i64
  %y, %n = host.while carry(%a : memref<1xf32> = %x : memref<1xf32>, %i : i64 = %zero : i64) {
    host.condition %c, %a, %i : memref<1xf32>, i64
  } do(%b, %j) {
    host.if %c {
      host.break %b, %j : memref<1xf32>, i64
    } else {
      host.continue %b, %j : memref<1xf32>, i64
    }
    %k = host.keep %b : memref<1xf32> -> memref<1xf32>
    host.yield %k, %j : memref<1xf32>, i64
  } {name = "loop 1", test = "c"}
  host.while {
    host.condition %c
  } do {
  }
  host.return %y, %n : memref<1xf32>, i64
}
