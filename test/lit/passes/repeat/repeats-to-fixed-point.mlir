// RUN: dycl-opt -p 'dycl-repeat{passes=cse,canonicalize}' --timing %s 2>&1 | filecheck %s
// RUN: dycl-opt -p 'dycl-repeat{passes="cse","canonicalize"}' %s | filecheck %s --check-prefix=IR

// Round one folds `+ 0`, round two merges the products, round three changes nothing.

// CHECK:      step
// CHECK:      3 cse
// CHECK-NEXT: 3 canonicalize
// CHECK-NEXT: 1 dycl-repeat

// IR-LABEL: func.func @f
// IR-COUNT-1: arith.muli
// IR-NOT:     arith.muli
func.func @f(%x: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %same = arith.addi %x, %zero : i32
  %a = arith.muli %x, %x : i32
  %b = arith.muli %same, %x : i32
  %c = arith.subi %a, %b : i32
  func.return %c : i32
}
