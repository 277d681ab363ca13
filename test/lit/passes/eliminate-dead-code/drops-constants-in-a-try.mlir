// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// A constant does not fail: nobody sees that it is gone.

// CHECK:      dycl.try {
// CHECK-NEXT:   dycl.binary add %x, %x
// CHECK-NEXT:   dycl.if %x {
// CHECK-NEXT:   }
// CHECK-NEXT: } except "TypeError" {
// CHECK-NEXT:   dycl.return %k
func.func @forward(%x: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  dycl.try {
    %a = dycl.constant "a"
    %y = dycl.binary add %x, %x
    dycl.if %x {
      %b = dycl.constant #dycl.none
    }
  } except "TypeError" {
    dycl.return %k
  }
  dycl.return %x
}
