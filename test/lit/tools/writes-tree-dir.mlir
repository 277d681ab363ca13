// RUN: rm -rf %t && dycl-opt --canonicalize --cse --dce --print-ir-tree-dir=%t %s
// RUN: ls %t | filecheck %s
// RUN: filecheck %s --check-prefix=IR --input-file %t/01-cse.mlir

// The input, then one numbered file for each pass that changed something.

// CHECK:      00-input.mlir
// CHECK-NEXT: 01-cse.mlir
// CHECK-NOT:  02

// IR:     arith.muli %a, %a
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
  func.return %c : i32
}
