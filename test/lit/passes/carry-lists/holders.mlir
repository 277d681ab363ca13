// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s

// A dict of lists that is returned is made where it is returned.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.dict
// CHECK:         [[A:%.*]] = dycl.append %l, %x
// CHECK:         [[D:%.*]] = dycl.dict(%k, [[A]])
// CHECK:         dycl.return [[D]]
func.func @forward(%x: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list()
  %d = dycl.dict(%k, %l)
  %n = dycl.invoke %l "append"(%x)
  dycl.return %d
}
