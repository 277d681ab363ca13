// RUN: dycl-opt --dycl-keep-recursion --dycl-keep-recursion %s | filecheck %s

// A call that waits gets a local function; what waits in its body calls it, in the
// next run, when more may be known.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f"(%a) {
// CHECK-NEXT:      %p = dycl.to_bool %a
// CHECK-NEXT:      dycl.if %p {
// CHECK-NEXT:        dycl.local_return %a
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = dycl.unary neg %a
// CHECK-NEXT:      dycl.constant
// CHECK-NEXT:      %c = dycl.local_call "f"(%b)
// CHECK-NEXT:      dycl.local_return %c
// CHECK-NEXT:    } {of = "f", given = [unit], max_depth = 1000 : i64}
// CHECK:         %y = dycl.local_call "f"(%x)
// CHECK-NEXT:    dycl.return %y
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x) {dycl.recursion = ["!dycl.value"]}
  dycl.return %y
}
func.func @f(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  %p = dycl.to_bool %a
  dycl.if %p {
    dycl.return %a
  }
  %b = dycl.unary neg %a
  %f = dycl.constant #dycl.function<@f>
  %c = dycl.call %f(%b) {dycl.recursion = ["!dycl.value"]}
  dycl.return %c
}
