// RUN: dycl-opt --dycl-place-copies --dycl-place-copies --dycl-check-host %s | filecheck %s

// Copies are kernels: where there is one, the pass has been here.

// CHECK:      %w = host.param "w" : memref<4xf32>
// CHECK-NEXT: %w_cuda = host.param "w" : memref<4xf32, "cuda">
// CHECK-NEXT: %y = host.alloc : memref<4xf32, "cuda">
// CHECK-NEXT: %x_cuda = host.alloc : memref<4xf32, "cuda">
// CHECK-NEXT: host.launch @copy_to_cuda ins(%x : memref<4xf32>) outs(%x_cuda : memref<4xf32, "cuda">)
// CHECK-NEXT: host.launch @gpu ins(%x_cuda, %w_cuda :
// CHECK-NEXT: %z = host.alloc : memref<4xf32>
// CHECK-NEXT: %p = host.alloc : memref<i1>
// CHECK-NEXT: %y_cpu = host.alloc : memref<4xf32>
// CHECK-NEXT: host.launch @copy_to_cpu ins(%y : memref<4xf32, "cuda">) outs(%y_cpu : memref<4xf32>)
// CHECK-NEXT: host.launch @cpu ins(%y_cpu : memref<4xf32>)
// CHECK-NEXT: dycl.return %y, %w : (memref<4xf32, "cuda">, memref<4xf32>)
// CHECK:      func.func @gpu(%x: !torch.vtensor<[4],f32> {dycl.memory = "cuda"}, %w: {{.*}} {dycl.memory = "cuda"}) -> ({{.*}} {dycl.memory = "cuda"})
// CHECK:      func.func @copy_to_cuda(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32> {dycl.memory = "cuda"}) attributes {dycl.kernel, dycl.backend = "copy"} {
// CHECK-NEXT:   func.return %x
// CHECK:      func.func @copy_to_cpu(%x: !torch.vtensor<[4],f32> {dycl.memory = "cuda"}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel, dycl.backend = "copy"} {
host.func @forward(%x : memref<4xf32>) params ["x"] {
  %w = host.param "w" : memref<4xf32>
  %y = host.alloc : memref<4xf32>
  host.launch @gpu ins(%x, %w : memref<4xf32>, memref<4xf32>) outs(%y : memref<4xf32>)
  %z = host.alloc : memref<4xf32>
  %p = host.alloc : memref<i1>
  host.launch @cpu ins(%y : memref<4xf32>) outs(%z, %p : memref<4xf32>, memref<i1>)
  dycl.return %y, %w : (memref<4xf32>, memref<4xf32>) -> ()
}
func.func @gpu(%x: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel, dycl.backend = "cuda"} {
  %y = torch.aten.mul.Tensor %x, %w : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @cpu(%x: !torch.vtensor<[4],f32>) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[],i1>) attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %any = torch.aten.any %y : !torch.vtensor<[4],f32> -> !torch.vtensor<[],i1>
  func.return %y, %any : !torch.vtensor<[4],f32>, !torch.vtensor<[],i1>
}
