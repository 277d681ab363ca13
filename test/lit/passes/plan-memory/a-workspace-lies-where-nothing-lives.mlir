// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// The memory that a kernel needs during a call is shared with what lives before or
// after it; not with what the kernel reads or fills.
// CHECK:      host.func @f({{.*}}) params ["x"] attributes {arena = 192 : i64} {
// CHECK:        %a = host.alloc {offset = 128 : i64}
// CHECK:        host.launch @k {{.*}} {offset = 0 : i64}
// CHECK:        %b = host.alloc {offset = 0 : i64}
// CHECK:        host.launch @l ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
// CHECK-NOT:    offset
host.func @f(%x: memref<4xf32>) params ["x"] {
  %a = host.alloc : memref<4xf32>
  host.launch @k ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = host.alloc : memref<4xf32>
  host.launch @l ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  dycl.return %b : (memref<4xf32>) -> ()
}
func.func @k() attributes {dycl.workspace = 100 : i64} {
  func.return
}
