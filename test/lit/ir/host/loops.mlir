// RUN: dycl-opt %s | dycl-opt | filecheck %s
// RUN: dycl-opt %s | dycl-opt --dycl-check-host | filecheck %s

// CHECK:      %y, %n = dycl.while carry(%a : memref<1xf32> = %x : memref<1xf32>, %i : i64 = %zero : i64) {
// CHECK-NEXT:   dycl.condition %c, %a, %i : (i1, memref<1xf32>, i64) -> ()
// CHECK-NEXT: } do(%b, %j) {
// CHECK-NEXT:   dycl.if %c : i1 {
// CHECK-NEXT:     dycl.break %b, %j : (memref<1xf32>, i64) -> ()
// CHECK-NEXT:   } else {
// CHECK-NEXT:     dycl.continue %b, %j : (memref<1xf32>, i64) -> ()
// CHECK-NEXT:   }
// CHECK-NEXT:   %k = host.keep %b : memref<1xf32> -> memref<1xf32>
// CHECK-NEXT:   dycl.yield %k, %j : (memref<1xf32>, i64) -> ()
// CHECK-NEXT: } {name = "loop 1", test = "c"}
// CHECK-NEXT: dycl.while {
// CHECK-NEXT:   dycl.condition %c : (i1) -> ()
// CHECK-NEXT: } do {
// CHECK-NEXT: }
host.func @forward(%x : memref<1xf32>, %c : i1) params ["x", "c"] {
  %zero = dycl.constant 0 : i64 -> i64
  %y, %n = dycl.while carry(%a : memref<1xf32> = %x : memref<1xf32>, %i : i64 = %zero : i64) {
    dycl.condition %c, %a, %i : (i1, memref<1xf32>, i64) -> ()
  } do(%b, %j) {
    dycl.if %c : i1 {
      dycl.break %b, %j : (memref<1xf32>, i64) -> ()
    } else {
      dycl.continue %b, %j : (memref<1xf32>, i64) -> ()
    }
    %k = host.keep %b : memref<1xf32> -> memref<1xf32>
    dycl.yield %k, %j : (memref<1xf32>, i64) -> ()
  } {name = "loop 1", test = "c"}
  dycl.while {
    dycl.condition %c : (i1) -> ()
  } do {
  }
  dycl.return %y, %n : (memref<1xf32>, i64) -> ()
}
