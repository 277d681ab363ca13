// RUN: dycl-opt --dycl-mark-segments %s | filecheck %s

// In a loop of the host, what an iteration keeps for the next one is copied by the host.
// CHECK-LABEL: host.func @f
// CHECK:         dycl.while
// CHECK-NOT:       dycl.scope
// CHECK:           dycl.condition
// CHECK:         } do(%b, %t) {
// CHECK-NEXT:      %z = dycl.scope "segment 0" -> (memref<4xf32>) {
// CHECK:           } {segment = 0 : i64}
// CHECK-NEXT:      %u = dycl.append %t, %z
// CHECK-NEXT:      %kept = host.keep %z
host.func @f(%x: memref<4xf32>) params ["x"] {
  %s = dycl.sequence() : () -> !dycl.sequence<memref<4xf32>>
  %r, %q = dycl.while carry(%a : memref<4xf32> = %x : memref<4xf32>, %l : !dycl.sequence<memref<4xf32>> = %s : !dycl.sequence<memref<4xf32>>) -> (memref<4xf32>, !dycl.sequence<memref<4xf32>>) {
    %p = host.alloc : memref<i1>
    host.launch @test ins(%a : memref<4xf32>) outs(%p : memref<i1>)
    %v = host.read %p : memref<i1> -> i1
    dycl.condition %v, %a, %l : (i1, memref<4xf32>, !dycl.sequence<memref<4xf32>>) -> ()
  } do(%b, %t) {
    %y = host.alloc : memref<4xf32>
    %z = host.alloc : memref<4xf32>
    host.launch @k ins(%b : memref<4xf32>) outs(%y : memref<4xf32>)
    host.launch @k ins(%y : memref<4xf32>) outs(%z : memref<4xf32>)
    %u = dycl.append %t, %z : (!dycl.sequence<memref<4xf32>>, memref<4xf32>) -> !dycl.sequence<memref<4xf32>>
    %kept = host.keep %z : memref<4xf32> -> memref<4xf32>
    dycl.yield %kept, %u : (memref<4xf32>, !dycl.sequence<memref<4xf32>>) -> ()
  } {test = "p", name = "loop 1"}
  dycl.return %r, %q : (memref<4xf32>, !dycl.sequence<memref<4xf32>>) -> ()
}
