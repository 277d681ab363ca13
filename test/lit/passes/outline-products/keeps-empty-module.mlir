// RUN: dycl-opt --dycl-outline-products %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
