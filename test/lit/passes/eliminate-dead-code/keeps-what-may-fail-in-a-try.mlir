// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// What fails in the body is seen in the handler: the body stays, unused as it is.

// CHECK:      dycl.try {
// CHECK-NEXT:   dycl.binary add %x, %x
// CHECK-NEXT: } except "TypeError" {
// CHECK-NEXT:   dycl.return %k
// CHECK:      dycl.return %x
func.func @forward(%x: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  %y = dycl.try -> (!dycl.value) {
    %z = dycl.binary add %x, %x
    dycl.yield %z
  } except "TypeError" {
    dycl.return %k
  }
  dycl.return %x
}
