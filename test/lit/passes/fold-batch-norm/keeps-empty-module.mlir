// RUN: dycl-opt --dycl-fold-batch-norm %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
