// RUN: dycl-opt -p 'dycl-repeat{passes=dce,"dycl-repeat{passes=cse max-rounds=4}"}' --print-ir-after-change %s 2>&1 | filecheck %s

// A pass with options stands in quotes; one in front of it needs none.

// CHECK: // ---- cse (round 1)
// CHECK: -    %c = arith.subi %a, %b : i32
// CHECK: +    %c = arith.subi %a, %a : i32
func.func @f(%x: i32) -> i32 {
  %a = arith.muli %x, %x : i32
  %b = arith.muli %x, %x : i32
  %c = arith.subi %a, %b : i32
  func.return %c : i32
}
