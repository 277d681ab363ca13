// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Each handler says what it catches; without one, a `finally` follows.

// CHECK-LABEL: func.func @f
func.func @f(%a: !dycl.value) -> !dycl.value {
  // CHECK-NEXT: %r = dycl.try one_statement -> (!dycl.value) {
  // CHECK-NEXT:   dycl.yield %a
  // CHECK-NEXT: } except "KeyError ValueError" {
  // CHECK-NEXT:   dycl.return %a
  // CHECK-NEXT: } except "?" {
  // CHECK-NEXT:   dycl.yield %a
  // CHECK-NEXT: } {note = "n"}
  %r = dycl.try one_statement -> (!dycl.value) {
    dycl.yield %a
  } except "KeyError ValueError" {
    dycl.return %a
  } except "?" {
    dycl.yield %a
  } {note = "n"}
  // CHECK-NEXT: dycl.try {
  // CHECK-NEXT:   dycl.effect
  // CHECK-NEXT: }
  dycl.try {
    dycl.effect "builtins.print"(%r)
  }
  dycl.return %r
}
