// RUN: dycl-opt --split-input-file --verify-diagnostics %s | filecheck %s

// Parse errors, verifier errors and dominance errors, on this or a nearby line; a
// chunk without an error is printed.

func.func @parse() {
  // expected-error@below {{arith.nonsense is not registered}}
  %a = arith.nonsense : i32
}

// -----

func.func @verify(%x: i32) -> i32 {
  func.return %x, %x : i32, i32 // expected-error {{got [i32, i32]}}
}

// -----

func.func @dominance() -> i32 {
  %a = arith.addi %b, %b : i32
  // expected-error@-1 {{operand #0 of 'arith.addi' is used before its definition}}
  %b = arith.constant 1 : i32
  func.return %a : i32
}

// -----

// CHECK: func.func @good
func.func @good() {
  func.return
}
