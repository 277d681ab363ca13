// RUN: dycl-opt --dycl-resolve-tries --verify-diagnostics %s | filecheck %s

// A division by data may raise.

// CHECK:      %r = dycl.try one_statement
// CHECK-NEXT:   %a = dycl.constant 2 : i64
// CHECK-NEXT:   dycl.binary floordiv
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  // expected-remark@+1 {{dycl.binary may raise}}
  %r = dycl.try one_statement -> (!dycl.value) {
    %a = dycl.constant 2 : i64
    %q = dycl.binary floordiv %a, %x
    dycl.yield %q
  } except "BaseException" {
    %b = dycl.constant 3 : i64
    dycl.yield %b
  }
  dycl.return %r
}
