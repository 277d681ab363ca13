// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Every op of the host comes back as it was written.

// CHECK-LABEL: host.func @forward(%x: memref<1x3xf32>, %n: i64) params ["x", "n"] {
host.func @forward(%x: memref<1x3xf32>, %n: i64) params ["x", "n"] {
  // CHECK-NEXT: %w = host.param "fc.weight" : memref<3x3xf32>
  %w = host.param "fc.weight" : memref<3x3xf32>
  // CHECK-NEXT: %mask = dycl.constant dense<[true, false]> : tensor<2xi1> -> memref<2xi1>
  %mask = dycl.constant dense<[true, false]> : tensor<2xi1> -> memref<2xi1>
  // CHECK-NEXT: %half = dycl.constant 5.000000e-01 : f64 -> f64
  %half = dycl.constant 0.5 : f64 -> f64
  // CHECK-NEXT: %none = dycl.constant #dycl.none -> !host.none
  %none = dycl.constant #dycl.none -> !host.none
  // CHECK-NEXT: %y = host.alloc : memref<1x3xf32>
  %y = host.alloc : memref<1x3xf32>
  // CHECK-NEXT: %p = host.alloc : memref<1xf32>
  %p = host.alloc : memref<1xf32>
  // CHECK-NEXT: host.launch @a ins(%x, %w, %n : memref<1x3xf32>, memref<3x3xf32>, i64) outs(%y, %p : memref<1x3xf32>, memref<1xf32>)
  host.launch @a ins(%x, %w, %n : memref<1x3xf32>, memref<3x3xf32>, i64) outs(%y, %p : memref<1x3xf32>, memref<1xf32>)
  // CHECK-NEXT: host.launch @b ins() outs()
  host.launch @b ins() outs()
  // CHECK-NEXT: %q = host.read %p : memref<1xf32> -> f64
  %q = host.read %p : memref<1xf32> -> f64
  // CHECK-NEXT: %c = dycl.compare gt %q, %half : (f64, f64) -> i1
  %c = dycl.compare gt %q, %half : (f64, f64) -> i1
  // CHECK-NEXT: %m = dycl.binary floordiv %n, %q : (i64, f64) -> f64
  %m = dycl.binary floordiv %n, %q : (i64, f64) -> f64
  // CHECK-NEXT: %i = dycl.unary invert %n : (i64) -> i64
  %i = dycl.unary invert %n : (i64) -> i64
  // CHECK-NEXT: %t = dycl.to_bool %i : (i64) -> i1
  %t = dycl.to_bool %i : (i64) -> i1
  // CHECK-NEXT: %v = host.view %y : memref<1x3xf32> -> memref<3xf32>
  %v = host.view %y : memref<1x3xf32> -> memref<3xf32>
  // CHECK-NEXT: %s = dycl.select %t, %v, %v : (i1, memref<3xf32>, memref<3xf32>) -> memref<3xf32>
  %s = dycl.select %t, %v, %v : (i1, memref<3xf32>, memref<3xf32>) -> memref<3xf32>
  // CHECK-NEXT: dycl.if %c : i1 {
  // CHECK-NEXT:   dycl.return %y, %m {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>, 1 : i64]>} : (memref<1x3xf32>, f64) -> ()
  // CHECK-NEXT: } {name = "exit_1", test = "q > 0.5"}
  dycl.if %c : i1 {
    dycl.return %y, %m {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>, 1 : i64]>} : (memref<1x3xf32>, f64) -> ()
  } {name = "exit_1", test = "q > 0.5"}
  // CHECK-NEXT: %z = dycl.scope "call" -> (f64) {
  // CHECK-NEXT:   dycl.if %t : i1 {
  // CHECK-NEXT:     dycl.leave "call" %q : (f64) -> ()
  // CHECK-NEXT:   } else {
  // CHECK-NEXT:     dycl.leave "call" %m : (f64) -> ()
  // CHECK-NEXT:   }
  // CHECK-NEXT:   dycl.unreachable
  // CHECK-NEXT: }
  %z = dycl.scope "call" -> (f64) {
    dycl.if %t : i1 {
      dycl.leave "call" %q : (f64) -> ()
    } else {
      dycl.leave "call" %m : (f64) -> ()
    }
    dycl.unreachable
  }
  dycl.return %s, %z : (memref<3xf32>, f64) -> ()
}
