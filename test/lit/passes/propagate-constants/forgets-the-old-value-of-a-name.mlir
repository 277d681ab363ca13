// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// A flag that the data overwrites is not its old constant: the test stays.

// CHECK-LABEL: func.func @forward
// CHECK:         %c = dycl.compare eq %flag, %zero
// CHECK-NEXT:    %p = dycl.to_bool %c
// CHECK-NEXT:    %r = dycl.if %p
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %flag = dycl.invoke %x "sum"()
  %c = dycl.compare eq %flag, %zero
  %p = dycl.to_bool %c
  %r = dycl.if %p -> (!dycl.value) {
    dycl.yield %x
  } else {
    dycl.yield %flag
  }
  dycl.return %r
}
