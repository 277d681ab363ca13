// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A copy is a list of its own: what is appended to it is not in the other.

// CHECK-LABEL: func.func @forward
// CHECK:         [[L:%.*]] = dycl.list(%x)
// CHECK-NOT:     dycl.invoke
// CHECK:         [[M:%.*]] = dycl.list(%x, %y)
// CHECK-NEXT:    [[R:%.*]] = dycl.tuple([[L]], [[M]])
// CHECK-NEXT:    dycl.return [[R]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list(%x)
  %m = dycl.invoke %l "copy"()
  %none = dycl.invoke %m "append"(%y)
  %r = dycl.tuple(%l, %m)
  dycl.return %r
}
