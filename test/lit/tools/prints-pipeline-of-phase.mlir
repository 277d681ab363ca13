// RUN: dycl-opt --print-pipeline partition | filecheck %s
// RUN: dycl-opt --print-pipeline partition -d dycl-share-kernels | filecheck %s --check-prefix=LESS
// RUN: dycl-opt --print-pipeline normalise -d dycl-unroll-loops -d dycl-inline-calls | filecheck %s --check-prefix=INSIDE

// CHECK: {{^}}dycl-share-subexpressions,dycl-hoist-computation-free,dycl-eliminate-dead-code,dycl-outline-branches,dycl-share-kernels,dycl-embed-literals,dycl-mark-weights,dycl-fold-batch-norm,dycl-split-products,dycl-outline-products,dycl-batch-launches,dycl-widen-vectors,dycl-annotate-backends,dycl-merge-backend-regions,dycl-partition-backends,dycl-check-hcfg{{$}}

// LESS: {{^}}dycl-share-subexpressions,dycl-hoist-computation-free,dycl-eliminate-dead-code,dycl-outline-branches,dycl-embed-literals,dycl-mark-weights,dycl-fold-batch-norm,dycl-split-products,dycl-outline-products,dycl-batch-launches,dycl-widen-vectors,dycl-annotate-backends,dycl-merge-backend-regions,dycl-partition-backends,dycl-check-hcfg{{$}}

// INSIDE: {{^}}dycl-specialize-sizes,dycl-repeat{passes=dycl-promote-objects,dycl-return-lists,dycl-match-nodes,dycl-roll-loops,dycl-infer-shapes,
