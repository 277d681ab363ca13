// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// An `if` may give a list of the model. The list stays as it was recorded if what the
// `if` gives is only read, and may change if that is changed.

// CHECK-LABEL: func.func @forward
// CHECK:         %k = dycl.constant 2 : i64
// CHECK:         %n = dycl.call %len(%u)
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %len = dycl.constant #dycl.global<"builtins.len">
  %zero = dycl.constant 0 : i64
  %a = dycl.if %p -> (!dycl.value) {
    %v = dycl.getattr %m "v"
    dycl.yield %v
  } else {
    dycl.yield %x
  }
  %first = dycl.subscript %a[%zero]
  %t = dycl.getattr %m "v"
  %k = dycl.call %len(%t)
  %b = dycl.if %p -> (!dycl.value) {
    %w = dycl.getattr %m "w"
    dycl.yield %w
  } else {
    dycl.yield %x
  }
  %c = dycl.invoke %b "append"(%first)
  %u = dycl.getattr %m "w"
  %n = dycl.call %len(%u)
  %r = dycl.tuple(%k, %n)
  dycl.return %r
}
dycl.object @"" "M" {v = [4 : i64, 2 : i64], w = [3 : i64]}
