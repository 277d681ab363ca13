// RUN: dycl-opt --dycl-batch-launches %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
