// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
