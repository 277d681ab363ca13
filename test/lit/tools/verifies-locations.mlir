// RUN: not %plain-dycl-opt --verify-locations -p test-constant-folding %s 2>&1 | filecheck %s
// RUN: %plain-dycl-opt -p test-constant-folding %s | filecheck %s --check-prefix=PLAIN

// A pass of xDSL that forgets locations is named, with the op and where it is.

// CHECK: verifies-locations.mlir:10:1: error: test-constant-folding lost the location of 'arith.constant'

// PLAIN: arith.constant 3 : i32

func.func @f() -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  %c = arith.addi %a, %b : i32
  func.return %c : i32
}
