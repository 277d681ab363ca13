// RUN: dycl-opt --dycl-form-switches %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
