// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// Arguments are bound as Python binds them: by place, by name, then the default.

// CHECK-LABEL: func.func @forward
// CHECK:         [[B:%.*]] = dycl.constant 2 : i64
// CHECK-NEXT:    [[T:%.*]] = dycl.tuple(%x, [[B]], %y)
// CHECK-NEXT:    dycl.return [[T]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %z = dycl.call %f(%x, c = %y)
  dycl.return %z
}
func.func @f(%a: !dycl.value, %b: !dycl.value, %c: !dycl.value) -> !dycl.value attributes {dycl.params = ["a", "b", "c"], dycl.defaults = {b = 2 : i64, c = 3 : i64}} {
  %t = dycl.tuple(%a, %b, %c)
  dycl.return %t
}
