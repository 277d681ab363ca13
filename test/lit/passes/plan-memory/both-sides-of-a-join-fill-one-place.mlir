// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// What either side fills, and all that is needed inside one side only, shares memory
// with the other side.
// CHECK:      host.func @f({{.*}}) params ["x", "c"] attributes {arena = 128 : i64} {
// CHECK:        %t = host.alloc {offset = 0 : i64}
// CHECK:        %a = host.alloc {offset = 64 : i64}
// CHECK:        %b = host.alloc {offset = 64 : i64}
host.func @f(%x: memref<4xf32>, %c: i1) params ["x", "c"] {
  %y = dycl.if %c : i1 -> (memref<4xf32>) {
    %t = host.alloc : memref<4xf32>
    host.launch @k ins(%x : memref<4xf32>) outs(%t : memref<4xf32>)
    %a = host.alloc : memref<4xf32>
    host.launch @k ins(%t : memref<4xf32>) outs(%a : memref<4xf32>)
    dycl.yield %a : (memref<4xf32>) -> ()
  } else {
    %b = host.alloc : memref<4xf32>
    host.launch @k ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
    dycl.yield %b : (memref<4xf32>) -> ()
  }
  dycl.return %y : (memref<4xf32>) -> ()
}
