// RUN: dycl-opt --print-debuginfo %s | filecheck %s

// Ops without `loc(...)` get file, line and column of the text; others keep theirs.

// CHECK: %a = arith.constant 1 : i32 loc("{{.*}}places-every-op.mlir":8:3)
// CHECK: %b = arith.constant 2 : i32 loc("net.py":3:5)
func.func @f() -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32 loc("net.py":3:5)
  %c = arith.addi %a, %b : i32
  func.return %c : i32
}
