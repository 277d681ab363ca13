// RUN: dycl-opt --dycl-settle-tries %s | filecheck %s

// A division by data may raise.

// CHECK: dycl.unsupported "DY107"
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %ok = dycl.unsupported "DY107" "try" "if" {handlers = ["BaseException"], one_statement}
  %r = dycl.if %ok -> (!dycl.value) {
    %a = dycl.constant 2 : i64
    %q = dycl.binary floordiv %a, %x
    dycl.yield %q
  } else {
    %b = dycl.constant 3 : i64
    dycl.yield %b
  } {test = "try"}
  dycl.return %r
}
