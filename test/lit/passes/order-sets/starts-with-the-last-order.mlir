// RUN: dycl-opt --dycl-order-sets %s | filecheck %s

// The program is set aside; the order in the set's own words is the last that is tried.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    dycl.unordered = @forward.unordered
// CHECK-SAME:    dycl.order = "0"
// CHECK:         [[B:%.*]] = dycl.constant "b"
// CHECK-NEXT:    [[A:%.*]] = dycl.constant "a"
// CHECK-NEXT:    [[T:%.*]] = dycl.tuple([[B]], [[A]])
// CHECK-NEXT:    dycl.for %k in [[T]]
// CHECK-LABEL: func.func @forward.unordered(
// CHECK:         dycl.for %k in %s
func.func @forward(%x: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %s = dycl.constant #dycl.set<"set", ["a", "b"]>
  dycl.for %k in %s {
    %y = dycl.call %f(%x, %k)
  }
  dycl.return %x
}
