// RUN: dycl-opt --dycl-split-tuples %s | filecheck %s

// A tuple that both sides build with one length is a tuple of joins.

// CHECK-LABEL: func.func @forward
// CHECK:         {{%.*}}, [[I:%.*]] = dycl.if %p -> (!dycl.value, !dycl.value) {
// CHECK:         [[T:%.*]] = dycl.tuple(%x, [[I]])
// CHECK-NEXT:    dycl.return [[T]]
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %t = dycl.if %p -> (!dycl.value) {
    %a = dycl.tuple(%x, %y)
    dycl.yield %a
  } else {
    %b = dycl.tuple(%x, %x)
    dycl.yield %b
  }
  dycl.return %t
}
