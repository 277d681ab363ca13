// RUN: dycl-opt --dycl-mark-segments %s | filecheck %s

// An early return does not end a segment, an effect in a branch neither: a run that
// gets there stops, and the host does that part.
// CHECK-LABEL: host.func @f
// CHECK:         %z = dycl.scope "segment 0" -> (memref<4xf32>) {
// CHECK:           dycl.if %{{.*}} : i1 {
// CHECK-NEXT:        dycl.effect "builtins.print"(%n)
// CHECK-NEXT:        dycl.return %y : (memref<4xf32>) -> ()
// CHECK:           host.launch @k2
// CHECK-NEXT:      dycl.leave "segment 0"
host.func @f(%x: memref<4xf32>, %n: i64) params ["x", "n"] {
  dycl.effect "builtins.print"(%n) : (i64) -> ()
  %y = host.alloc : memref<4xf32>
  %p = host.alloc : memref<i1>
  host.launch @k ins(%x : memref<4xf32>) outs(%y, %p : memref<4xf32>, memref<i1>)
  %v = host.read %p : memref<i1> -> i1
  dycl.if %v : i1 {
    dycl.effect "builtins.print"(%n) : (i64) -> ()
    dycl.return %y : (memref<4xf32>) -> ()
  } {test = "p", name = "exit 1"}
  %z = host.alloc : memref<4xf32>
  host.launch @k2 ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  dycl.return %z : (memref<4xf32>) -> ()
}
