// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// What the body of a `try` raises goes to its handler, so it stays in there.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.if %{{.*}} -> (!dycl.value) {
// CHECK-NEXT:      dycl.position
// CHECK:           dycl.yield
// CHECK:         } else {
// CHECK-NEXT:      dycl.return %x
func.func @forward(%x: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  %ok = dycl.unsupported "DY107" "`try` cannot be compiled" "use `if`" {handlers = ["IndexError"]}
  %y = dycl.if %ok -> (!dycl.value) {
    %p = dycl.position %k in 3 : i64 else "IndexError: list index out of range"
    %z = dycl.binary add %x, %p
    dycl.yield %z
  } else {
    dycl.return %x
  } {test = "try"}
  dycl.return %y
}
