// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// Without an entry function there is nothing to type.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
