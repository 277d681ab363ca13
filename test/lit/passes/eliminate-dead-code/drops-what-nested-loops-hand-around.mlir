// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// %k goes from the outer loop into an `if`, from there into the inner loop, and
// back, for nobody to read. So does what the inner loop makes of it.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = dycl.while carry(%a = %x) {
// CHECK-NEXT:      dycl.condition %a, %a
// CHECK-NEXT:    } do(%b) {
// CHECK-NEXT:      %d = dycl.if %b -> (!dycl.value) {
// CHECK-NEXT:        %e = dycl.while carry(%f = %b) {
// CHECK-NEXT:          dycl.condition %f, %f
// CHECK-NEXT:        } do(%g) {
// CHECK-NEXT:          dycl.if %g {
// CHECK-NEXT:            dycl.break %x
// CHECK-NEXT:          }
// CHECK-NEXT:          %h = dycl.binary add %g, %x
// CHECK-NEXT:          dycl.yield %h
// CHECK-NEXT:        }
// CHECK-NEXT:        dycl.yield %e
// CHECK-NEXT:      } else {
// CHECK-NEXT:        dycl.yield %x
// CHECK-NEXT:      }
// CHECK-NEXT:      dycl.yield %d
// CHECK-NEXT:    }
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %none = dycl.unbound "k"
  %y, %k = dycl.while carry(%a = %x, %ka = %none) {
    dycl.condition %a, %a, %ka
  } do(%b, %kb) {
    %d, %kd = dycl.if %b -> (!dycl.value, !dycl.value) {
      %e, %ke = dycl.while carry(%f = %b, %kf = %kb) {
        dycl.condition %f, %f, %kf
      } do(%g, %kg) {
        dycl.if %g {
          dycl.break %x, %kg
        }
        %list = dycl.list(%g)
        %h = dycl.binary add %g, %x
        dycl.yield %h, %list
      }
      dycl.yield %e, %ke
    } else {
      dycl.yield %x, %kb
    }
    dycl.yield %d, %kd
  }
  dycl.return %y
}
