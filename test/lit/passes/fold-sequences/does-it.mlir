// RUN: dycl-opt --dycl-fold-sequences %s | filecheck %s

// What is put into a list behind one another makes one display; an empty one is a list,
// too, with no items.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    [[E:%.*]] = dycl.list()
// CHECK-NEXT:    dycl.to_bool [[E]]
// CHECK-NEXT:    [[L:%.*]] = dycl.list(%x, %y, %x, %y)
// CHECK-NEXT:    [[LEN:%.*]] = dycl.constant
// CHECK-NEXT:    dycl.call [[LEN]]([[L]])
// CHECK-NOT:     dycl.append
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %s = dycl.sequence()
  %p = dycl.to_bool %s
  %a = dycl.append %s, %x
  %b = dycl.append %a, %y
  %c = dycl.sequence(%x, %y)
  %d = dycl.extend %b, %c
  %len = dycl.constant #dycl.global<"builtins.len">
  %n = dycl.call %len(%d)
  dycl.return %n
}
