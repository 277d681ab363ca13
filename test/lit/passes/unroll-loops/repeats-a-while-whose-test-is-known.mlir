// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// A `while` is repeated as long as its test is known without the data.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.while
// CHECK-COUNT-2: dycl.unary neg
// CHECK-NOT:     dycl.unary
// CHECK:         dycl.return
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %i = dycl.constant 0 : i64
  %y, %n = dycl.while carry(%a = %x, %k = %i) {
    %two = dycl.constant 2 : i64
    %c = dycl.compare lt %k, %two
    dycl.condition %c, %a, %k
  } do(%b, %l) {
    %d = dycl.unary neg %b
    %one = dycl.constant 1 : i64
    %m = dycl.binary add %l, %one
    dycl.yield %d, %m
  }
  dycl.return %y
}
