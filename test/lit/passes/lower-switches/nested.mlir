// RUN: dycl-opt --dycl-lower-switches --verify-locations %s | filecheck %s

// An arm that leaves, and a switch inside an arm.

// CHECK-NOT:     dycl.switch
// CHECK:         dycl.if
// CHECK:           dycl.if
// CHECK:           dycl.return %x
// CHECK-NOT:     dycl.switch
func.func @forward(%k: !dycl.value, %x: !dycl.value) attributes {dycl.entry} {
  %r = dycl.switch %k -> (!dycl.value) case 0 {
    %s = dycl.switch %k -> (!dycl.value) case 0 {
      dycl.yield %k
    } default {
      dycl.yield %x
    }
    dycl.yield %s
  } default {
    dycl.return %x
  }
  dycl.return %r
}
