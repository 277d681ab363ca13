// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// A loop stops carrying what only its own next iteration gets.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %b = dycl.for %i in %l carry(%d = %x) {
// CHECK-NEXT:      %e = dycl.binary add %d, %i
// CHECK-NEXT:      dycl.yield %e
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %b
func.func @forward(%x: !dycl.value, %l: !dycl.value) attributes {dycl.entry} {
  %a, %b = dycl.for %i in %l carry(%c = %x, %d = %x) {
    %e = dycl.binary add %d, %i
    dycl.yield %c, %e
  }
  dycl.return %b
}
