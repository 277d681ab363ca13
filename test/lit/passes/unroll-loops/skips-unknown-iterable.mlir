// RUN: dycl-opt --dycl-unroll-loops --remarks %s 2>&1 | filecheck %s

// What the loop goes over comes from the input: the loop stays, and the remark says
// why.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.for
// CHECK:      remark: not unrolled: what it iterates over depends on the data
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %y = dycl.for %i in %x carry(%a = %x) {
    dycl.yield %i
  }
  dycl.return %y
}
