// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A key that is chosen among those of a dict; one more would change its length.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.select %p, %x, %one
// CHECK:         %[[B:.*]] = dycl.select %p, %two, %x
// CHECK:         dycl.store_subscript %l[%m], %one
// CHECK:         %[[D:.*]] = dycl.dict(%a, %[[A]], %b, %[[B]])
// CHECK-NEXT:    %[[R:.*]] = dycl.tuple(%[[D]], %l)
// CHECK-NEXT:    dycl.return %[[R]]
func.func @forward(%x: !torch.int, %p: !torch.bool) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64 -> !torch.int
  %two = dycl.constant 2 : i64 -> !torch.int
  %a = dycl.constant "a" -> !torch.str
  %b = dycl.constant "b" -> !torch.str
  %c = dycl.constant "c" -> !torch.str
  %k = dycl.select %p, %a, %b : (!torch.bool, !torch.str, !torch.str) -> !torch.str
  %m = dycl.select %p, %a, %c : (!torch.bool, !torch.str, !torch.str) -> !torch.str
  %d = dycl.dict(%a, %one, %b, %two) : (!torch.str, !torch.int, !torch.str, !torch.int) -> !dycl.value
  dycl.store_subscript %d[%k], %x : (!dycl.value, !torch.str, !torch.int) -> ()
  %l = dycl.dict(%a, %one, %b, %two) : (!torch.str, !torch.int, !torch.str, !torch.int) -> !dycl.value
  dycl.store_subscript %l[%m], %one : (!dycl.value, !torch.str, !torch.int) -> ()
  %r = dycl.tuple(%d, %l) : (!dycl.value, !dycl.value) -> !dycl.value
  dycl.return %r : (!dycl.value) -> ()
}
