// RUN: dycl-opt --dycl-lower-switches %s | filecheck %s

// Two switches on one number share their comparisons, which both can see.

// CHECK:         %k = dycl.position %i
// CHECK:         %[[ONE:.*]] = dycl.compare lt %k
// CHECK:         %a = dycl.if %[[ONE]]
// CHECK:         dycl.if %x
// CHECK:           %b = dycl.if %[[ONE]]
// CHECK-NOT:     dycl.compare
func.func @forward(%i: !dycl.value, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %k = dycl.position %i in 2 : i64 else "IndexError: list index out of range"
  %a = dycl.switch %k -> (!dycl.value) case 0 {
    dycl.yield %x
  } default {
    dycl.yield %y
  }
  %r = dycl.if %x -> (!dycl.value) {
    %b = dycl.switch %k -> (!dycl.value) case 0 {
      dycl.yield %y
    } default {
      dycl.yield %x
    }
    dycl.yield %b
  } else {
    dycl.yield %a
  }
  dycl.return %r
}
