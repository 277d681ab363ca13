// RUN: dycl-opt --dycl-guard-nodes %s | filecheck %s

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
