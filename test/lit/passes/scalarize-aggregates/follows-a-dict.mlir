// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Items of a dict by constant key: read, stored, tested, listed.

// CHECK-LABEL: func.func @forward
// CHECK:         [[HAS:%.*]] = dycl.constant true
// CHECK-NEXT:    [[A:%.*]] = dycl.tuple(%a, %x)
// CHECK-NEXT:    [[B:%.*]] = dycl.tuple(%b, %y)
// CHECK-NEXT:    [[I:%.*]] = dycl.tuple([[A]], [[B]])
// CHECK-NEXT:    dycl.tuple(%x, %y, [[HAS]], [[I]])
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %a = dycl.constant "a"
  %b = dycl.constant "b"
  %d = dycl.dict(%a, %x)
  dycl.store_subscript %d[%b], %y
  %v = dycl.subscript %d[%a]
  %w = dycl.invoke %d "get"(%b)
  %has = dycl.compare in %b, %d
  %items = dycl.invoke %d "items"()
  %r = dycl.tuple(%v, %w, %has, %items)
  dycl.return %r
}
