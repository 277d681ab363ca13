// RUN: dycl-opt --dycl-widen-vectors %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
