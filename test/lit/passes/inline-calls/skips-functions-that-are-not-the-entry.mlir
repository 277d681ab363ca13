// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// Only the entry is compiled: bodies of other functions stay as they are, to be copied.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.return %x
// CHECK-LABEL: func.func @f
// CHECK:         dycl.call %f(%x)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  dycl.return %x
}
func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %f = dycl.constant #dycl.function<@f>
  %y = dycl.call %f(%x)
  dycl.return %y
}
