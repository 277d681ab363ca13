// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// The inner one is settled first, and then nothing is left that may raise.

// CHECK:      func.func @forward
// CHECK-NEXT:   %k = dycl.constant 1 : i64
// CHECK-NEXT:   dycl.return %k
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    %s = dycl.try one_statement -> (!dycl.value) {
      %int = dycl.constant #dycl.global<"builtins.int">
      %t = dycl.constant "many"
      %v = dycl.call %int(%t)
      dycl.yield %v
    } except "ValueError" {
      %k = dycl.constant 1 : i64
      dycl.yield %k
    }
    dycl.yield %s
  } except "KeyError" {
    dycl.yield %x
  }
  dycl.return %r
}
