// RUN: dycl-opt -p dycl-keep-recursion %s | filecheck %s

// A dict that the function only reads is made of its items inside.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f"(%a, %env) {
// CHECK-NEXT:      %env_1 = dycl.constant "k"
// CHECK-NEXT:      %env_2 = dycl.dict(%env_1, %env)
// CHECK-NEXT:      %r = dycl.subscript %env_2[%a]
// CHECK-NEXT:      dycl.local_return %r
// CHECK-NEXT:    } {of = "f", given = [unit, {read = [unit], keys = ["k"]}], max_depth = 1000 : i64}
// CHECK:         dycl.local_call "f"(%x, %y)
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %k = dycl.constant "k"
  %env = dycl.dict(%k, %y)
  %f = dycl.constant #dycl.function<@f>
  %z = dycl.call %f(%x, %env) {dycl.recursion = ["!dycl.value"]}
  dycl.return %z
}
func.func @f(%a: !dycl.value, %env: !dycl.value) -> !dycl.value attributes {dycl.params = ["a", "env"]} {
  %r = dycl.subscript %env[%a]
  dycl.return %r
}
