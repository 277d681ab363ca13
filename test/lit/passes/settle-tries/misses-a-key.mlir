// RUN: dycl-opt --dycl-settle-tries %s | filecheck %s

// A dict that is made here has no such key: a KeyError. One that has it may be read.

// CHECK: dycl.constant false
// CHECK: dycl.if
// CHECK: dycl.constant true
// CHECK: dycl.if
// CHECK-NOT: dycl.unsupported
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %ok = dycl.unsupported "DY107" "try" "if" {handlers = ["KeyError"], one_statement}
  %r = dycl.if %ok -> (!dycl.value) {
    %a = dycl.constant "a"
    %d = dycl.dict(%a, %x)
    %b = dycl.constant "b"
    %v = dycl.subscript %d[%b]
    dycl.yield %v
  } else {
    dycl.yield %x
  } {test = "try"}
  %ok2 = dycl.unsupported "DY107" "try" "if" {handlers = ["KeyError"]}
  %s = dycl.if %ok2 -> (!dycl.value) {
    %a = dycl.constant "a"
    %d = dycl.dict(%a, %r)
    dycl.yield %d
  } else {
    dycl.yield %x
  } {test = "try"}
  dycl.return %s
}
