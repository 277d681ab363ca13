// RUN: dycl-opt --dycl-fold-sequences %s | filecheck %s

// A list that a branch may make longer has items that are not known.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.sequence(%x)
// CHECK:         [[R:%.*]] = dycl.if %p
// CHECK-NEXT:      [[B:%.*]] = dycl.sequence(%x, %x)
// CHECK-NEXT:      dycl.yield [[B]]
// CHECK:           dycl.yield [[A]]
// CHECK:         [[C:%.*]] = dycl.append [[R]], %x
// CHECK:         dycl.return [[C]]
func.func @forward(%x: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %s = dycl.sequence()
  %a = dycl.append %s, %x
  %r = dycl.if %p : !torch.bool -> (!dycl.value) {
    %b = dycl.append %a, %x
    dycl.yield %b
  } else {
    dycl.yield %a
  }
  %c = dycl.append %r, %x
  dycl.return %c
}
