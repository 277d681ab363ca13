// RUN: dycl-opt -p "dycl-keep-recursion{max-depth=7}" %s | filecheck %s

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f"(%a) {
// CHECK:           dycl.call
// CHECK:           dycl.local_return
// CHECK-NEXT:    } {of = "f", given = [unit], max_depth = 7 : i64}
// CHECK:         dycl.local_call "f"(%x)
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
