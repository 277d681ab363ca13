// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// %y may be %x or %a: %b must lie in neither, nor %a in %x.
// CHECK:      attributes {arena = 192 : i64}
// CHECK:        %x = host.alloc {offset = 0 : i64}
// CHECK:        %a = host.alloc {offset = 64 : i64}
// CHECK:        %b = host.alloc {offset = 128 : i64}
host.func @f(%i: memref<4xf32>, %c: i1) params ["i", "c"] {
  %x = host.alloc : memref<4xf32>
  host.launch @k ins(%i : memref<4xf32>) outs(%x : memref<4xf32>)
  %y = dycl.if %c : i1 -> (memref<4xf32>) {
    %a = host.alloc : memref<4xf32>
    host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
    dycl.yield %a : (memref<4xf32>) -> ()
  } else {
    dycl.yield %x : (memref<4xf32>) -> ()
  }
  %b = host.alloc : memref<4xf32>
  host.launch @k ins(%y : memref<4xf32>) outs(%b : memref<4xf32>)
  dycl.return %b, %y : (memref<4xf32>, memref<4xf32>) -> ()
}
