// RUN: dycl-opt --list-passes | filecheck %s

// Each pass with its line and options, then the phases, then xDSL's passes by name.

// CHECK:      dycl-repeat                    Runs passes in order, again and again
// CHECK-NEXT:   passes: tuple[str, ...]
// CHECK-NEXT:   max-rounds: int = 64         Rounds after which
// CHECK:      phases
// CHECK-NEXT:   normalise
// CHECK-NEXT:     dycl-specialize-sizes      first:
// CHECK-NEXT:     dycl-repeat                to a fixed point
// CHECK-NEXT:       dycl-inline-calls        first:
// CHECK:        partition
// CHECK-NEXT:     dycl-share-subexpressions
// CHECK-NEXT:     dycl-hoist-computation-free
// CHECK:      passes of xDSL:
// CHECK:      canonicalize
