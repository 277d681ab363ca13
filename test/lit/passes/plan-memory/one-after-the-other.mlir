// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// %c is filled when %a has been read; a view is the same memory.
// CHECK:      attributes {arena = 128 : i64}
// CHECK:        %a = host.alloc {offset = 0 : i64}
// CHECK:        %b = host.alloc {offset = 64 : i64}
// CHECK:        %c = host.alloc {offset = 0 : i64}
host.func @f(%x: memref<4xf32>) params ["x"] {
  %a = host.alloc : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %v = host.view %a : memref<4xf32> -> memref<2x2xf32>
  %b = host.alloc : memref<4xf32>
  host.launch @k ins(%v : memref<2x2xf32>) outs(%b : memref<4xf32>)
  %c = host.alloc : memref<4xf32>
  host.launch @k ins(%b : memref<4xf32>) outs(%c : memref<4xf32>)
  dycl.return %c : (memref<4xf32>) -> ()
}
