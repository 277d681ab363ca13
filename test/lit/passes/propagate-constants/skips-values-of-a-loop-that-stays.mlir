// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// What a loop over data carries is not its first value.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.binary add %k, %one
// CHECK:         dycl.compare eq %n, %one
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %n = dycl.for %i in %x carry(%k = %one) {
    %m = dycl.binary add %k, %one
    dycl.yield %m
  }
  %c = dycl.compare eq %n, %one
  dycl.return %c
}
