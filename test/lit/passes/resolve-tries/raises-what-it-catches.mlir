// RUN: dycl-opt --dycl-resolve-tries --verify-diagnostics %s | filecheck %s

// A handler that only raises the class that it catches need not be run: the exception
// of the body goes on. One that raises another class is left, and one around a `raise`
// of a class that may derive from the one that is caught, and around what may raise.

// CHECK:      func.func @forward
// CHECK-NEXT:   %q = dycl.binary floordiv %x, %x
// CHECK:        %s = dycl.try
// CHECK:        %t = dycl.try
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    %q = dycl.binary floordiv %x, %x
    dycl.yield %q
  } except "ValueError" {
    %text = dycl.constant "too large"
    dycl.raise "builtins.ValueError"(%text)
  }
  // expected-remark@+1 {{dycl.binary may raise}}
  %s = dycl.try -> (!dycl.value) {
    %q = dycl.binary floordiv %r, %x
    dycl.yield %q
  } except "ZeroDivisionError" {
    %text = dycl.constant "too large"
    dycl.raise "builtins.ValueError"(%text)
  }
  // expected-remark@+1 {{dycl.binary may raise}}
  %t = dycl.try -> (!dycl.value) {
    dycl.if %x {
      dycl.raise "mine.Odd" as "builtins.ValueError"()
    }
    %q = dycl.binary floordiv %s, %x
    dycl.yield %q
  } except "ValueError" {
    %text = dycl.constant "too large"
    dycl.raise "builtins.ValueError"(%text)
  }
  dycl.return %t
}
