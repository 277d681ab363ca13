// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// What is appended by another name counts: `len` is not known.

// CHECK:      %a = dycl.list()
// CHECK:      %rows = dycl.list(%a, %b)
// CHECK:      %chosen = dycl.subscript %rows[%i]
// CHECK-NEXT: %{{.*}} = dycl.invoke %chosen "append"(%x)
// CHECK-NEXT: %n = dycl.call %len(%a)
func.func @forward(%x: !dycl.value, %i: !dycl.value) attributes {dycl.entry} {
  %len = dycl.constant #dycl.global<"builtins.len">
  %a = dycl.list()
  %b = dycl.list()
  %rows = dycl.list(%a, %b)
  %chosen = dycl.subscript %rows[%i]
  %d = dycl.invoke %chosen "append"(%x)
  %n = dycl.call %len(%a)
  dycl.return %n
}
