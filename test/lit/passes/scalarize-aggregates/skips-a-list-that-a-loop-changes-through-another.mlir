// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:      dycl.while {
// CHECK:        %{{.*}} = dycl.invoke %a "append"(%x)
// CHECK:      %z = dycl.call %len(%a)
func.func @forward(%x: !dycl.value, %c: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %len = dycl.constant #dycl.global<"builtins.len">
  %a = dycl.list(%x)
  %around = dycl.list(%a)
  dycl.while {
    dycl.condition %c
  } do {
    %inner = dycl.subscript %around[%zero]
    %d = dycl.invoke %inner "append"(%x)
    dycl.yield
  }
  %z = dycl.call %len(%a)
  dycl.return %z
}
