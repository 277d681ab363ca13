// RUN: dycl-opt --dycl-repeat="passes=cse,dce max-rounds=3" --print-ir-after-change %s 2>&1 | filecheck %s
// RUN: dycl-opt -p 'builtin.module(dycl-repeat{passes="cse,dce" max-rounds=3})' --print-ir-after-change %s 2>&1 | filecheck %s

// `--pass="a=1"` is `-p pass{a=1}`; MLIR's anchor is accepted.

// CHECK:       // ---- cse (round 1)
// CHECK:       -    %b = arith.constant 1 : i32
// CHECK:       +    %c = arith.addi %a, %a : i32
func.func @f() -> i32 {
  %a = arith.constant 1 : i32
  %b = arith.constant 1 : i32
  %c = arith.addi %a, %b : i32
  func.return %c : i32
}
