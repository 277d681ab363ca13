// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// Names for a tuple that has as many items are given them; another number of names is a
// ValueError.

// CHECK:      func.func @forward
// CHECK-NEXT:   dycl.constant
// CHECK-NEXT:   %a, %b = dycl.unpack
// CHECK-NEXT:   %c = dycl.constant "the handler"
// CHECK-NEXT:   dycl.return %c
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.constant #dycl.tuple<[2 : i64, 3 : i64]>
  %r = dycl.try one_statement -> (!dycl.value) {
    %a, %b = dycl.unpack %t -> 2
    dycl.yield %b
  } except "ValueError" {
    dycl.yield %x
  }
  %s = dycl.try one_statement -> (!dycl.value) {
    %a, %b, %c = dycl.unpack %t -> 3
    dycl.yield %b
  } except "ValueError" {
    %c = dycl.constant "the handler"
    dycl.yield %c
  }
  dycl.return %s
}
