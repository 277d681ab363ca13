// RUN: not dycl-opt --split-input-file --verify-diagnostics %s 2>&1 | filecheck %s

// The three ways to be wrong: nothing came, something else came, another line.

// CHECK: wrong-diagnostics.mlir:7: error: expected error "nothing happens" was not produced
// expected-error@+1 {{nothing happens}}
func.func @nothing() {
  func.return
}

// -----

// CHECK: wrong-diagnostics.mlir:15:3: error: unexpected error: {{.*}}is used before its definition
func.func @unexpected() -> i32 {
  %early = arith.addi %late, %late : i32
  %late = arith.constant 1 : i32
  func.return %late : i32
}

// -----

// CHECK: wrong-diagnostics.mlir:26:3: error: unexpected error: {{.*}}is used before its definition
// CHECK: wrong-diagnostics.mlir:24: error: expected error "used before" was not produced
func.func @line() -> i32 { // expected-error {{used before}}

  %early = arith.addi %late, %late : i32
  %late = arith.constant 1 : i32
  func.return %late : i32
}
