// RUN: not dycl-opt %s 2>&1 | filecheck %s

// File, line, column and the line itself; no traceback.

// CHECK-NOT:  Traceback
// CHECK:      reports-parse-error.mlir:11:23: error: @ identifier expected
// CHECK-NEXT: {{^}}  %a = arith.constant @ : i32
// CHECK-NEXT: {{^}}                      ^

func.func @f() {
  %a = arith.constant @ : i32
  func.return
}
