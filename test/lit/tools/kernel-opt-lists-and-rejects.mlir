// The pipeline is listed with its reasons; a step that there is not is an error.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt --list | filecheck %s
// RUN: not dycl-kernel-opt %s -p cpu-no-such-step 2>&1 | filecheck %s --check-prefix WRONG
// RUN: not dycl-kernel-opt %s -p no-such-pass 2>&1 | filecheck %s --check-prefix PASS
// RUN: dycl-kernel-opt %s -p "canonicalize{max-iterations=2},cse" | filecheck %s --check-prefix DONE

// CHECK: linalg:
// CHECK: cpu-block-contractions
// CHECK-NEXT: channels side by side
// CHECK: memref:
// CHECK: cpu-generate-nests
// CHECK: llvm:

// WRONG: error: there is no step 'cpu-no-such-step'; see --list
// PASS: error: {{.*}}no-such-pass
// DONE: func.func @k
func.func @k() {
  return
}
