// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
