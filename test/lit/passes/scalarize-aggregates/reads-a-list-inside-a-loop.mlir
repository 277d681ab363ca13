// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A loop that only reads a list knows its items.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.for %i in %x {
// CHECK-NEXT:      [[N:%.*]] = dycl.constant 2 : i64
// CHECK-NEXT:      %r = dycl.call %x(%i, [[N]])
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list(%x, %x)
  %len = dycl.constant #dycl.global<"builtins.len">
  dycl.for %i in %x {
    %n = dycl.call %len(%l)
    %r = dycl.call %x(%i, %n)
  }
  dycl.return %x
}
