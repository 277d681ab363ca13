// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// What the body of a `try` raises goes to its handler, so it stays in there.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.try -> (!dycl.value) {
// CHECK-NEXT:      dycl.position
// CHECK:           dycl.yield
// CHECK:         } except "IndexError" {
// CHECK-NEXT:      dycl.return %x
func.func @forward(%x: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  %y = dycl.try -> (!dycl.value) {
    %p = dycl.position %k in 3 : i64 else "IndexError: list index out of range"
    %z = dycl.binary add %x, %p
    dycl.yield %z
  } except "IndexError" {
    dycl.return %x
  }
  dycl.return %y
}
