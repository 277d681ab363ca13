// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// It ends by a `break` that depends on data: no number of copies is enough.

// CHECK: dycl.while
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %y = dycl.while carry(%a = %x) {
    %one = dycl.constant 1 : i64
    %c = dycl.to_bool %one
    dycl.condition %c, %a
  } do(%b) {
    %d = dycl.unary neg %b
    dycl.if %d {
      dycl.break %d
    }
    dycl.yield %d
  }
  dycl.return %y
}
