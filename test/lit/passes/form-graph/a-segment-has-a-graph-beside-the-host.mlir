// RUN: dycl-opt --dycl-mark-segments --dycl-form-graph %s | filecheck %s

// The host stays. Decisions keep their numbers, and the last exit leads on.
// CHECK-LABEL: graph.func @f_segment_0(%x: memref<4xf32>, %n: memref<i64>) params ["x", "n"] attributes {segment = 0 : i64, behind = 1 : i64} {
// CHECK:         graph.launch @k ins(%x, %w : memref<4xf32>, memref<4xf32>)
// CHECK:           graph.record 1, %v
// CHECK:           graph.exit 0
// CHECK:         graph.launch @k2
// CHECK:           graph.exit 1
// CHECK:         graph.return %y, %z : memref<4xf32>, memref<4xf32> as [#dycl.leaf<0>, #dycl.tuple<[#dycl.leaf<1>]>]
// CHECK-LABEL: host.func @f
// CHECK:         dycl.scope "segment 0"
host.func @f(%x: memref<4xf32>, %n: i64) params ["x", "n"] {
  %w = host.param "w" : memref<4xf32>
  %zero = dycl.constant 0 : i64 -> i64
  %some = dycl.compare gt %n, %zero : (i64, i64) -> i1
  dycl.if %some : i1 {
    dycl.effect "builtins.print"(%n) : (i64) -> ()
    dycl.yield
  } else {
    dycl.yield
  } {test = "n > 0", name = "decision 1"}
  dycl.effect "builtins.print"(%n) : (i64) -> ()
  %y = host.alloc : memref<4xf32>
  %p = host.alloc : memref<i1>
  host.launch @k ins(%x, %w : memref<4xf32>, memref<4xf32>) outs(%y, %p : memref<4xf32>, memref<i1>)
  %v = host.read %p : memref<i1> -> i1
  dycl.if %v : i1 {
    dycl.return %y : (memref<4xf32>) -> ()
  } {test = "p", name = "exit 1"}
  %z = host.alloc : memref<4xf32>
  host.launch @k2 ins(%y, %n : memref<4xf32>, i64) outs(%z : memref<4xf32>)
  dycl.return %z : (memref<4xf32>) -> ()
}
