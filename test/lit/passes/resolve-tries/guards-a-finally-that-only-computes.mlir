// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// What raises in the body raises behind it as well, and of the rest nothing is seen. A
// print behind it would be missed.

// CHECK:      func.func @forward
// CHECK:        %a = dycl.call %f(%x)
// CHECK-NEXT:   %t = dycl.tuple(%a, %x)
// CHECK:        dycl.try
// CHECK:        dycl.effect
func.func @forward(%x: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %r = dycl.if %p -> (!dycl.value) {
    %c = dycl.try -> (!dycl.value) {
      %a = dycl.call %f(%x)
      dycl.yield %a
    }
    %t = dycl.tuple(%c, %x)
    dycl.yield %t
  } else {
    %c = dycl.try -> (!dycl.value) {
      %b = dycl.call %f(%x)
      dycl.yield %b
    }
    dycl.effect "builtins.print"(%x)
    dycl.yield %c
  }
  dycl.return %r
}
