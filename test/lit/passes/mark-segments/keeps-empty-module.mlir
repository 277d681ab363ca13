// RUN: dycl-opt --dycl-mark-segments %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
