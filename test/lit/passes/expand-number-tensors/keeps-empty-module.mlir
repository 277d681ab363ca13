// RUN: dycl-opt --dycl-expand-number-tensors %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
