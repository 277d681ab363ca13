// RUN: not dycl-opt -p 'dycl-repeat{passes=cse,canonicalize max-rounds=1}' %s 2>&1 | filecheck %s

// One round changed something, so it is not known to be the last.

// CHECK-NOT: Traceback
// CHECK:      dycl-opt: error: 2 passes still change the program when max-rounds=1 of dycl-repeat is reached [DY291]
// CHECK-NEXT:    = note: the passes are cse,canonicalize
// CHECK-NEXT:    = help: raise max-rounds, or leave out the pass that undoes another
func.func @f(%x: i32) -> i32 {
  %a = arith.muli %x, %x : i32
  %b = arith.muli %x, %x : i32
  %c = arith.subi %a, %b : i32
  func.return %c : i32
}
