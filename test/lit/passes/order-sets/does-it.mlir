// RUN: dycl-opt -p normalise %s | filecheck %s

// Each item has an entry of its own in a dict: both orders lead to one program.

// CHECK-LABEL: func.func @forward(
// CHECK-NOT:   dycl.unordered
// CHECK-NOT:   dycl.for
// CHECK:       [[Y:%.*]] = dycl.binary mul %x, [[TWO:%.*]]
// CHECK-NEXT:  dycl.return [[Y]]
// CHECK-NOT:   func.func
func.func @forward(%x: !torch.vtensor<[3],f32>) attributes {dycl.entry} {
  %d = dycl.dict()
  %s = dycl.constant #dycl.set<"set", ["a", "b"]>
  dycl.for %k in %s {
    %a = dycl.constant "a"
    %is = dycl.compare eq %k, %a
    %p = dycl.to_bool %is
    %one = dycl.constant 1 : i64
    %two = dycl.constant 2 : i64
    %n = dycl.select %p, %one, %two
    %y = dycl.binary mul %x, %n : (!torch.vtensor<[3],f32>, !dycl.value) -> !dycl.value
    dycl.store_subscript %d[%k], %y
  }
  %b = dycl.constant "b"
  %r = dycl.subscript %d[%b]
  dycl.return %r
}
