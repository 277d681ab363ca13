// RUN: dycl-opt --dycl-place-copies %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
