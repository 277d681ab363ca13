// RUN: dycl-opt --dycl-keep-recursion --dycl-keep-recursion --dycl-keep-recursion %s | filecheck %s

// A flag makes another function; a number that a call changes is a parameter.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.local_function "f_1"(%a, %n) {
// CHECK:           dycl.local_call "f_1"(%a, %{{.*}})
// CHECK:         } {of = "f", given = [unit, unit, {constant = false}]
// CHECK:         dycl.local_function "f"(%a_1) {
// CHECK:           dycl.local_call "f_1"(%a_1, %{{.*}})
// CHECK:         } {of = "f", given = [unit, {constant = 0 : i64}, {constant = true}]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %n = dycl.constant 0 : i64
  %flag = dycl.constant true
  %y = dycl.call %f(%x, %n, %flag) {dycl.recursion = ["!dycl.value; 0 : i64; true"]}
  dycl.return %y
}
func.func @f(%a: !dycl.value, %n: !dycl.value, %flag: !dycl.value) -> !dycl.value attributes {dycl.params = ["a", "n", "flag"]} {
  %p = dycl.to_bool %a
  dycl.if %p {
    dycl.return %a
  }
  %f = dycl.constant #dycl.function<@f>
  %one = dycl.constant 1 : i64
  %other = dycl.constant false
  %c = dycl.call %f(%a, %one, %other) {dycl.recursion = []}
  dycl.return %c
}
