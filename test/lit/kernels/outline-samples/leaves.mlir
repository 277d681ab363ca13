// Left alone: what knows which sample it is at, what reads other samples, a slice of some
// samples, known sizes, an epilogue of a product, and single rows that meet one weight.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-outline-samples | filecheck %s

// CHECK-NOT: dycl.sample
#rows = affine_map<(n, c) -> (n, c)>
#row = affine_map<(n, c) -> (n)>
func.func @which(%x: tensor<?x8xf32>, %n: index) -> tensor<?xf32> {
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row],
                       iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<?x8xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %s = arith.addf %f, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @others(%x: tensor<?x8xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#rows, #row],
                       iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<?x8xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %first = tensor.extract %x[%c0, %c0] : tensor<?x8xf32>
    %s = arith.addf %first, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @shifted(%x: tensor<?x8xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %y = linalg.generic {indexing_maps = [affine_map<(n, c) -> (n + 1, c)>, #row],
                       iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<?x8xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @known(%x: tensor<4x8xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.generic {indexing_maps = [#rows, #row],
                       iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %out : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @epilogue(%x: tensor<?x8xf32>, %w: tensor<8x8xf32>, %n: index)
    -> tensor<?x8xf32> {
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x8xf32>)
    outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows],
                       iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.addf %in, %in : f32
    linalg.yield %s : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
#weight = affine_map<(d0, d1, d2) -> (d1, d2)>
#each = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @rows(%x: tensor<?x1x8xf32>, %w: tensor<8x8xf32>, %n: index)
    -> tensor<?x1x8xf32> attributes {dycl.weights = array<i64: 1>} {
  %m = tensor.empty(%n) : tensor<?x8x8xf32>
  %ws = linalg.generic {indexing_maps = [#weight, #each],
                        iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w : tensor<8x8xf32>) outs(%m : tensor<?x8x8xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<?x8x8xf32>
  %e = tensor.empty(%n) : tensor<?x1x8xf32>
  %y = linalg.batch_matmul ins(%x, %ws : tensor<?x1x8xf32>, tensor<?x8x8xf32>)
    outs(%e : tensor<?x1x8xf32>) -> tensor<?x1x8xf32>
  return %y : tensor<?x1x8xf32>
}
