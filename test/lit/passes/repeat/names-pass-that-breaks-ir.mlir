// RUN: not %plain-dycl-opt --verify-locations -p 'dycl-repeat{passes=cse,test-constant-folding}' %s 2>&1 | filecheck %s

// Checks run after each pass of a round, so the culprit is named and not `dycl-repeat`.

// CHECK: error: test-constant-folding lost the location of 'arith.constant'
func.func @f() -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 2 : i32
  %c = arith.addi %a, %b : i32
  func.return %c : i32
}
