// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// A dict that is made here has no such key: a KeyError. One that has it may be read.

// CHECK:      func.func @forward
// CHECK-NEXT:   %a = dycl.constant "a"
// CHECK-NEXT:   %d = dycl.dict(%a, %x)
// CHECK-NEXT:   dycl.return %d
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try one_statement -> (!dycl.value) {
    %a = dycl.constant "a"
    %d = dycl.dict(%a, %x)
    %b = dycl.constant "b"
    %v = dycl.subscript %d[%b]
    dycl.yield %v
  } except "KeyError" {
    dycl.yield %x
  }
  %s = dycl.try -> (!dycl.value) {
    %a = dycl.constant "a"
    %d = dycl.dict(%a, %r)
    dycl.yield %d
  } except "KeyError" {
    dycl.yield %x
  }
  dycl.return %s
}
