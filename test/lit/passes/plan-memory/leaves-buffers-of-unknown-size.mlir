// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// CHECK: attributes {arena = 0 : i64}
// CHECK: %a = host.alloc : memref<?xf32>
host.func @f(%x: memref<4xf32>) params ["x"] {
  %a = host.alloc : memref<?xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<?xf32>)
  dycl.return %a : (memref<?xf32>) -> ()
}
