// All that a kernel has made, seen in another shape, is not copied: neither as rows of
// twice the length nor with a dimension more. The same memory is given once, and the
// memory of an input, or a part of what was made, not at all.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-results-to-arguments | filecheck %s

// CHECK: func.func @k(%[[X:.*]]: tensor<?x4xf32> {{.*}}
// CHECK: %[[Y:.*]] = linalg.generic
// CHECK: %[[Z:.*]] = linalg.generic
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[Y]]
// CHECK: %[[TWO:.*]] = tensor.expand_shape %[[FLAT]]
// CHECK: %[[MORE:.*]] = tensor.expand_shape %[[Z]]
// CHECK: %[[SEEN:.*]] = tensor.collapse_shape %[[X]]
// CHECK: %[[PART:.*]] = tensor.extract_slice %[[Z]]
// CHECK: %[[AGAIN:.*]] = bufferization.alloc_tensor() copy(%[[FLAT]])
// CHECK: %[[OWN:.*]] = bufferization.alloc_tensor() copy(%[[SEEN]])
// CHECK: %[[SOME:.*]] = bufferization.alloc_tensor() copy(%[[PART]])
// CHECK: return %[[TWO]], %[[AGAIN]], %[[MORE]], %[[OWN]], %[[SOME]] :
#same = affine_map<(i, j) -> (i, j)>
func.func @k(%x: tensor<?x4xf32>) -> (tensor<?x8xf32>, tensor<?xf32>, tensor<1x?x4xf32>,
                                      tensor<?xf32>, tensor<?x2xf32>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = tensor.dim %x, %zero : tensor<?x4xf32>
  %half = arith.divsi %n, %two : index
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %y = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.addf %in, %in : f32
    linalg.yield %more : f32
  } -> tensor<?x4xf32>
  %z = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %more = arith.mulf %in, %in : f32
    linalg.yield %more : f32
  } -> tensor<?x4xf32>
  %flat = tensor.collapse_shape %y [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %rows = tensor.expand_shape %flat [[0, 1]] output_shape [%half, 8] : tensor<?xf32> into tensor<?x8xf32>
  %another = tensor.expand_shape %z [[0, 1], [2]] output_shape [1, %n, 4] : tensor<?x4xf32> into tensor<1x?x4xf32>
  %seen = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %part = tensor.extract_slice %z[0, 0] [%n, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  return %rows, %flat, %another, %seen, %part
    : tensor<?x8xf32>, tensor<?xf32>, tensor<1x?x4xf32>, tensor<?xf32>, tensor<?x2xf32>
}
