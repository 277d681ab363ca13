// The order of loops in contractions: the innermost loop runs along rows of the output.
//
// LLVM vectorises that loop at unit stride. The window of a convolution stays inside of
// it: LLVM unrolls it, and one load and store of the sum serve all its products. Input
// channels go outside the plane: if they were inside, each sum would wait for the store
// of the one before. Pools have this order already.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    // A window of more than 3x3: only its rows are unrolled.
    // n f oh ow c kh kw  ->  n f c kh oh ow kw
    %wide = transform.structured.match attributes{dycl.wide} in %root
      : (!transform.any_op) -> !transform.any_op
    %wide_loops = transform.structured.generalize %wide : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %wide_loops
      iterator_interchange = [0, 1, 4, 5, 2, 3, 6] : (!transform.any_op) -> !transform.any_op

    // n f oh ow c kh kw  ->  n f c oh ow kh kw
    %conv = transform.structured.match ops{["linalg.conv_2d_nchw_fchw"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %conv_loops = transform.structured.generalize %conv : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %conv_loops
      iterator_interchange = [0, 1, 4, 2, 3, 5, 6] : (!transform.any_op) -> !transform.any_op
    // n g f oh ow c kh kw  ->  n g f c oh ow kh kw
    %grouped = transform.structured.match ops{["linalg.conv_2d_ngchw_gfchw"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %grouped_loops = transform.structured.generalize %grouped : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %grouped_loops
      iterator_interchange = [0, 1, 2, 5, 3, 4, 6, 7] : (!transform.any_op) -> !transform.any_op
    // n oh ow c kh kw  ->  n c oh ow kh kw
    %depthwise = transform.structured.match ops{["linalg.depthwise_conv_2d_nchw_chw"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %depthwise_loops = transform.structured.generalize %depthwise : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %depthwise_loops
      iterator_interchange = [0, 3, 1, 2, 4, 5] : (!transform.any_op) -> !transform.any_op
    // n f ow c kw  ->  n f c ow kw
    %row = transform.structured.match ops{["linalg.conv_1d_ncw_fcw"]} in %root
      : (!transform.any_op) -> !transform.any_op
    %row_loops = transform.structured.generalize %row : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %row_loops
      iterator_interchange = [0, 1, 3, 2, 4] : (!transform.any_op) -> !transform.any_op

    // Matrix products whose operands both stand in rows. A product with a transposed
    // matrix, as in a linear layer, already sums along two rows.
    // m n k  ->  m k n
    %matmul = transform.structured.match ops{["linalg.matmul"]} attributes{dycl.rows} in %root
      : (!transform.any_op) -> !transform.any_op
    %matmul_loops = transform.structured.generalize %matmul : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %matmul_loops
      iterator_interchange = [0, 2, 1] : (!transform.any_op) -> !transform.any_op
    // b m n k  ->  b m k n
    %batched = transform.structured.match ops{["linalg.batch_matmul"]} attributes{dycl.rows} in %root
      : (!transform.any_op) -> !transform.any_op
    %batched_loops = transform.structured.generalize %batched : (!transform.any_op) -> !transform.any_op
    transform.structured.interchange %batched_loops
      iterator_interchange = [0, 1, 3, 2] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
