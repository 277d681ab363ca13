// RUN: dycl-opt --dycl-carry-dicts --verify-diagnostics %s | filecheck %s

// Of which each path makes a dict with the same keys; with other keys, or a dict that is
// changed behind the branch, it stays.

// CHECK-LABEL: func.func @forward
// CHECK:         [[R:%.*]] = dycl.if %p
// CHECK:           [[T:%.*]] = dycl.tuple(%x)
// CHECK-NEXT:      dycl.yield [[T]]
// CHECK:           [[U:%.*]] = dycl.tuple(%y)
// CHECK-NEXT:      dycl.yield [[U]]
// CHECK:         dycl.subscript [[R]]
// CHECK:         dycl.dict(
// CHECK-NOT:     dycl.tuple(%
func.func @forward(%x: !dycl.value, %y: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %h = dycl.constant "h"
  %k = dycl.constant "k"
  %a = dycl.if %p : !torch.bool -> (!dycl.value) {
    %d = dycl.dict(%h, %x)
    dycl.yield %d
  } else {
    %d = dycl.dict(%h, %y)
    dycl.yield %d
  }
  // expected-remark @+1 {{a dict is not carried by its values: its keys are not the same}}
  %b = dycl.if %p : !torch.bool -> (!dycl.value) {
    %d = dycl.dict(%h, %x)
    dycl.yield %d
  } else {
    %d = dycl.dict(%k, %y)
    dycl.yield %d
  }
  // expected-remark @+1 {{a dict is not carried by its values: something may change it}}
  %c = dycl.if %p : !torch.bool -> (!dycl.value) {
    %d = dycl.dict(%h, %x)
    dycl.yield %d
  } else {
    %d = dycl.dict(%h, %y)
    dycl.yield %d
  }
  dycl.store_subscript %c[%h], %x
  %s = dycl.to_bool %a
  %t = dycl.to_bool %b
  dycl.return %x
}
