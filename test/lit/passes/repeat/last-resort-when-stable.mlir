// RUN: dycl-opt -p 'dycl-repeat{passes=cse when-stable=canonicalize}' --timing %s 2>&1 | filecheck %s

// Round one merges the products; round two changes nothing, so canonicalize has its turn
// and folds; round three changes nothing, and neither does canonicalize.

// CHECK:      3 cse
// CHECK-NEXT: 2 canonicalize
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %same = arith.addi %x, %zero : i32
  %a = arith.muli %x, %same : i32
  %b = arith.muli %x, %same : i32
  %c = arith.subi %a, %b : i32
  func.return %c : i32
}
