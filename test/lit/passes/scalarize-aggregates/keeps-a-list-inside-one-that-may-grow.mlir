// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// %rows is not followed, and what it leads to is not either.

// CHECK: %{{.*}} = dycl.invoke %a "append"(%x)
// CHECK: dycl.while {
// CHECK:   %{{.*}} = dycl.invoke %rows "append"(%b)
// CHECK: %first = dycl.subscript %rows[%zero]
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %a = dycl.list()
  %b = dycl.list()
  %rows = dycl.list(%a)
  %d = dycl.invoke %a "append"(%x)
  dycl.while {
    dycl.condition %c
  } do {
    %e = dycl.invoke %rows "append"(%b)
    dycl.yield
  }
  %first = dycl.subscript %rows[%zero]
  dycl.return %first
}
