// RUN: dycl-opt --dycl-mark-segments %s | filecheck %s
// RUN: dycl-opt --dycl-mark-segments --dycl-mark-segments %s | filecheck %s

// Numbers ahead of the first launch and constants stay on the host; a number that the
// host needs, and what it returns, are results.
// CHECK-LABEL: host.func @f
// CHECK:         dycl.effect "builtins.print"(%n)
// CHECK-NEXT:    %one = dycl.constant 1 : i64 -> i64
// CHECK-NEXT:    %m = dycl.binary add %n, %one : (i64, i64) -> i64
// CHECK-NEXT:    %z, %v = dycl.scope "segment 0" -> (memref<4xf32>, i1) {
// CHECK-NEXT:      %y = host.alloc : memref<4xf32>
// CHECK-NEXT:      %[[Z:.*]] = host.alloc : memref<4xf32>
// CHECK-NEXT:      %p = host.alloc : memref<i1>
// CHECK-NEXT:      host.launch @k ins(%x, %m : memref<4xf32>, i64) outs(%y : memref<4xf32>)
// CHECK-NEXT:      host.launch @k2 ins(%y : memref<4xf32>) outs(%[[Z]], %p : memref<4xf32>, memref<i1>)
// CHECK-NEXT:      %[[V:.*]] = host.read %p : memref<i1> -> i1
// CHECK-NEXT:      dycl.leave "segment 0" %[[Z]], %[[V]] : (memref<4xf32>, i1) -> ()
// CHECK-NEXT:    } {segment = 0 : i64}
// CHECK-NEXT:    dycl.effect "builtins.print"(%v) : (i1) -> ()
// CHECK-NEXT:    dycl.return %z : (memref<4xf32>) -> ()
host.func @f(%x: memref<4xf32>, %n: i64) params ["x", "n"] {
  dycl.effect "builtins.print"(%n) : (i64) -> ()
  %one = dycl.constant 1 : i64 -> i64
  %m = dycl.binary add %n, %one : (i64, i64) -> i64
  %y = host.alloc : memref<4xf32>
  host.launch @k ins(%x, %m : memref<4xf32>, i64) outs(%y : memref<4xf32>)
  %z = host.alloc : memref<4xf32>
  %p = host.alloc : memref<i1>
  host.launch @k2 ins(%y : memref<4xf32>) outs(%z, %p : memref<4xf32>, memref<i1>)
  %v = host.read %p : memref<i1> -> i1
  dycl.effect "builtins.print"(%v) : (i1) -> ()
  dycl.return %z : (memref<4xf32>) -> ()
}
