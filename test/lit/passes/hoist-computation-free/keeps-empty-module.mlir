// RUN: dycl-opt --dycl-hoist-computation-free %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
