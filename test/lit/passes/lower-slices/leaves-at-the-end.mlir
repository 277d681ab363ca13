// RUN: dycl-opt --dycl-lower-slices %s | filecheck %s

// The loop goes over the whole, and leaves where the slice ends; one that starts later
// goes on to the next item first.

// CHECK-LABEL: func.func @forward
// CHECK:         [[STOP:%.*]] = dycl.select
// CHECK:         [[ALL:%.*]] = dycl.call {{%.*}}(%l)
// CHECK:         dycl.for [[PAIR:%.*]] in [[ALL]] carry([[C:%.*]] = %x)
// CHECK-NEXT:      [[I:%.*]], [[V:%.*]] = dycl.unpack [[PAIR]] -> 2
// CHECK:           [[N:%.*]] = dycl.call {{%.*}}([[I]])
// CHECK:           dycl.compare ge [[N]], [[STOP]]
// CHECK:           dycl.if
// CHECK-NEXT:        dycl.break [[C]]
// CHECK-NEXT:      } {test = "f in l[:n]"}
// CHECK:           dycl.binary add [[C]], [[V]]
// CHECK:         dycl.for
// CHECK:           dycl.compare lt
// CHECK:             dycl.continue
func.func @forward(%x: !dycl.value, %n: !torch.int) attributes {dycl.entry} {
  %l = dycl.list(%x, %x)
  %none = dycl.constant #dycl.none
  %s = dycl.slice(%none, %n, %none) : (!dycl.value, !torch.int, !dycl.value) -> !dycl.value
  %t = dycl.subscript %l[%s]
  %r = dycl.for %f in %t carry(%a = %x) {
    %b = dycl.binary add %a, %f
    dycl.yield %b
  } {test = "f in l[:n]"}
  %u = dycl.slice(%n, %none, %none) : (!torch.int, !dycl.value, !dycl.value) -> !dycl.value
  %v = dycl.subscript %l[%u]
  %w = dycl.for %f in %v carry(%a = %r) {
    %b = dycl.binary add %a, %f
    dycl.yield %b
  } {test = "f in l[n:]"}
  dycl.return %w
}
