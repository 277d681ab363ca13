// RUN: dycl-opt --dycl-plan-memory="max-buffers=1" --verify-diagnostics %s | filecheck %s

// With too many buffers to compare each two of them, each lives from its first use to
// its last, also by way of a join: what either side fills does not share memory.
// CHECK:      host.func @f({{.*}}) params ["x", "c"] attributes {arena = 256 : i64} {
// CHECK:        %a = host.alloc {offset = 0 : i64}
// CHECK:        %b = host.alloc {offset = 64 : i64}
// CHECK:        %d = host.alloc {offset = 0 : i64}
// CHECK:        %e = host.alloc {offset = 128 : i64}
// CHECK:        %g = host.alloc {offset = 192 : i64}
// expected-remark @+1 {{planned roughly: it has 5 buffers, more than 1}}
host.func @f(%x: memref<4xf32>, %c: i1) params ["x", "c"] {
  %a = host.alloc : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = host.alloc : memref<4xf32>
  host.launch @k ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  %y = dycl.if %c : i1 -> (memref<4xf32>) {
    %d = host.alloc : memref<4xf32>
    host.launch @k ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
    dycl.yield %d : (memref<4xf32>) -> ()
  } else {
    dycl.yield %b : (memref<4xf32>) -> ()
  }
  %e = host.alloc : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%e : memref<4xf32>)
  %g = host.alloc : memref<4xf32>
  host.launch @k ins(%e : memref<4xf32>) outs(%g : memref<4xf32>)
  dycl.return %y, %g : (memref<4xf32>, memref<4xf32>) -> ()
}
