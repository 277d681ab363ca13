// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// Where k < 2 holds, k < 3 does; where it does not, k < 1 does not. k < 1 is open.

// CHECK:         dycl.if %two {
// CHECK-DAG:       %[[T:.*]] = dycl.constant true
// CHECK-DAG:       dycl.setattr %x "lower", %one
// CHECK-DAG:       dycl.setattr %x "higher", %[[T]]
// CHECK:         } else {
// CHECK-DAG:       %[[F:.*]] = dycl.constant false
// CHECK-DAG:       dycl.setattr %x "lower", %[[F]]
// CHECK-DAG:       dycl.setattr %x "higher", %three
func.func @forward(%i: !dycl.value, %x: !dycl.value) attributes {dycl.entry} {
  %k = dycl.position %i in 4 : i64 else "IndexError: list index out of range"
  %c1 = dycl.constant 1 : i64
  %c2 = dycl.constant 2 : i64
  %c3 = dycl.constant 3 : i64
  %one = dycl.compare lt %k, %c1
  %two = dycl.compare lt %k, %c2
  %three = dycl.compare lt %k, %c3
  dycl.if %two {
    dycl.setattr %x "lower", %one
    dycl.setattr %x "higher", %three
  } else {
    dycl.setattr %x "lower", %one
    dycl.setattr %x "higher", %three
  }
  dycl.return %x
}
