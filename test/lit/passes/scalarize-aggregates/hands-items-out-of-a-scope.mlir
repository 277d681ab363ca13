// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// A loop that is left by way of a scope: each way out gives the item as it is there.

// CHECK:      %l = dycl.scope "s" -> (!dycl.value) {
// CHECK:        dycl.while
// CHECK:          dycl.leave "s" %{{.*}}
// CHECK:        dycl.leave "s" %{{.*}}
// CHECK:      dycl.return %l
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %l = dycl.list(%x, %y)
  dycl.scope "s" {
    dycl.while {
      dycl.condition %x
    } do {
      dycl.store_subscript %l[%zero], %y
      dycl.if %y {
        dycl.leave "s"
      }
    }
    dycl.leave "s"
  }
  %c = dycl.subscript %l[%zero]
  dycl.return %c
}
