// RUN: dycl-opt --dycl-split-tuples %s | filecheck %s
// RUN: dycl-opt --dycl-split-tuples %s > %t.once
// RUN: dycl-opt --dycl-split-tuples --dycl-split-tuples %s | diff %t.once -

// A choice of tuples, also inside of tuples, is a tuple of choices.

// CHECK:         %[[X:.*]] = dycl.select %p, %x, %y {test = "p"}
// CHECK:         %[[Z:.*]] = dycl.select %p, %y, %x {test = "p"}
// CHECK:         %[[INNER:.*]] = dycl.tuple(%[[Z]], %y)
// CHECK:         %r = dycl.tuple(%[[X]], %y, %[[INNER]])
// CHECK:         %s = dycl.select %p, %{{.*}}, %r : 
// CHECK-NEXT:    dycl.return %r, %s
func.func @forward(%x: !dycl.value, %y: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %a = dycl.tuple(%y, %y) : (!dycl.value, !dycl.value) -> !dycl.value
  %b = dycl.tuple(%x, %y) : (!dycl.value, !dycl.value) -> !dycl.value
  %t = dycl.tuple(%x, %y, %a) : (!dycl.value, !dycl.value, !dycl.value) -> !dycl.value
  %u = dycl.tuple(%y, %y, %b) : (!dycl.value, !dycl.value, !dycl.value) -> !dycl.value
  %r = dycl.select %p, %t, %u {test = "p"} : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  %one = dycl.tuple(%x) : (!dycl.value) -> !dycl.value
  %s = dycl.select %p, %one, %r : (!torch.bool, !dycl.value, !dycl.value) -> !dycl.value
  dycl.return %r, %s : (!dycl.value, !dycl.value) -> ()
}
