// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
