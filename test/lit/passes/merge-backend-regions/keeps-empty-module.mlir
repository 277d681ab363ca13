// RUN: dycl-opt --dycl-merge-backend-regions %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
