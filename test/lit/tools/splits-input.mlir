// RUN: not dycl-opt --cse --split-input-file %s 2>%t.err | filecheck %s
// RUN: filecheck %s --check-prefix=ERR --input-file %t.err

// Chunks are independent: one with an error does not stop the others, and lines
// count from the start of the file.

// CHECK:      func.func @first
// CHECK:      // -----
// CHECK-NEXT: // -----
// CHECK:      func.func @third
func.func @first() {
  func.return
}

// -----

// ERR: splits-input.mlir:19:3: error: operand #0 of 'arith.addi' is used before its definition
func.func @second() -> i32 {
  %early = arith.addi %late, %late : i32
  %late = arith.constant 1 : i32
  func.return %late : i32
}

// -----

func.func @third() {
  func.return
}
