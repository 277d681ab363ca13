// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// A `try` whose handlers only raise again is its body. One that does more is left, where
// what it has caught is raised by an op.

// CHECK-NOT:  except "KeyError"
// CHECK:      dycl.subscript %d[%k]
// CHECK:      dycl.try
// CHECK:      except "IndexError"
func.func @forward(%d: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    %a = dycl.subscript %d[%k]
    dycl.yield %a
  } except "KeyError" {
    dycl.raise "builtins.BaseException"() {dycl.again}
  }
  %s = dycl.try -> (!dycl.value) {
    %b = dycl.subscript %d[%r]
    dycl.yield %b
  } except "IndexError" {
    %h = dycl.call %k()
    dycl.raise "builtins.BaseException"() {dycl.again}
  }
  dycl.return %s
}
