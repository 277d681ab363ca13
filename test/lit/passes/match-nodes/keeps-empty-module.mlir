// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// An empty module stays empty.

// CHECK:      builtin.module {
// CHECK-NEXT: }
builtin.module {
}
