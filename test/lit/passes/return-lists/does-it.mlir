// RUN: dycl-opt --dycl-return-lists --dycl-return-lists %s | filecheck %s

// Each return gives the list, and the dict around that; twice is once. What is only read
// stays marked.

// CHECK:      func.func @forward(%x: !dycl.value, %p: !dycl.value)
// CHECK-SAME:   dycl.refilled = ["xs", "table"]
// CHECK:        %xs = dycl.list(%x){{$}}
// CHECK-NEXT:   %table = dycl.dict(%key, %x){{$}}
// CHECK:        dycl.list() {dycl.given = "ys"}
// CHECK:        dycl.if %p
// CHECK:          %[[A:.*]] = dycl.tuple(%x, %xs)
// CHECK-NEXT:     %[[B:.*]] = dycl.tuple(%[[A]], %table)
// CHECK-NEXT:     dycl.return %[[B]]
// CHECK:        %[[C:.*]] = dycl.tuple(%n, %xs)
// CHECK-NEXT:   %[[D:.*]] = dycl.tuple(%[[C]], %table)
// CHECK-NEXT:   dycl.return %[[D]]
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %key = dycl.constant "a"
  %xs = dycl.list(%x) {dycl.given = "xs"}
  %table = dycl.dict(%key, %x) {dycl.given = "table"}
  %ys = dycl.list() {dycl.given = "ys"}
  %n = dycl.invoke %ys "count"(%x)
  dycl.if %p {
    %none = dycl.invoke %xs "append"(%p)
    dycl.return %x
  }
  dycl.store_subscript %table[%key], %n
  dycl.return %n
}
