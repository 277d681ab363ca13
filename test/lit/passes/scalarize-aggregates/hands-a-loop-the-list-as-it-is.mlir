// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// What a `for` goes over is the list with all that was appended.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.invoke
// CHECK:         [[L:%.*]] = dycl.list(%x, %x)
// CHECK-NEXT:    dycl.for %i in [[L]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list(%x)
  %n = dycl.invoke %l "append"(%x)
  dycl.for %i in %l {
    dycl.call %x(%i)
  }
  dycl.return %x
}
