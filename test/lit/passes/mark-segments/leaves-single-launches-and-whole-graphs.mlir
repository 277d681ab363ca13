// RUN: dycl-opt --dycl-mark-segments --verify-diagnostics %s | filecheck %s
// RUN: dycl-opt --dycl-mark-segments=least=1 %s | filecheck %s --check-prefix ONE

// CHECK-LABEL: host.func @f
// CHECK-NOT:     dycl.scope
// CHECK-LABEL: host.func @g
// CHECK-NOT:     dycl.scope
// ONE-LABEL: host.func @f
// ONE:         dycl.scope "segment 0"
// ONE-LABEL: host.func @g
// ONE-NOT:     dycl.scope
host.func @f(%x: memref<4xf32>, %n: i64) params ["x", "n"] {
  dycl.effect "builtins.print"(%n) : (i64) -> ()
  %y = host.alloc : memref<4xf32>
  // expected-remark@+1 {{no graph of its own: launches here: 1; a graph pays from 2 on}}
  host.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  dycl.return %y : (memref<4xf32>) -> ()
}
host.func @g(%x: memref<4xf32>) params ["x"] {
  %y = host.alloc : memref<4xf32>
  %z = host.alloc : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
  host.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
  dycl.return %z : (memref<4xf32>) -> ()
}
