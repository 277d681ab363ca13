// RUN: dycl-opt --dycl-pair-dicts %s | filecheck %s

// A dict with a key of the run is a list of keys and one of values; where control flow
// hands it on, it hands on both. A dict whose keys are known stays.

// CHECK-LABEL: func.func @forward
// CHECK:         [[R:%.*]] = dycl.if %p
// CHECK:           [[K:%.*]] = dycl.call {{%.*}}({{%.*}})
// CHECK:           [[V:%.*]] = dycl.call {{%.*}}({{%.*}})
// CHECK:           dycl.constant #dycl.function<@dycl.prelude.tables.put>
// CHECK-NEXT:      dycl.call {{%.*}}([[K]], [[V]], %k, %x)
// CHECK:           [[T:%.*]] = dycl.tuple([[K]], [[V]])
// CHECK:           dycl.yield [[T]]
// CHECK:         [[L:%.*]] = dycl.subscript [[R]]
// CHECK:         [[M:%.*]] = dycl.subscript [[R]]
// CHECK:         dycl.constant #dycl.function<@dycl.prelude.tables.item_or>
// CHECK-NEXT:    dycl.call {{%.*}}([[L]], [[M]], %k, %x)
// CHECK:         dycl.store_subscript
func.func @forward(%x: !dycl.value, %k: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %d = dycl.if %p : !torch.bool -> (!dycl.value) {
    %a = dycl.dict()
    dycl.store_subscript %a[%k], %x
    dycl.yield %a
  } else {
    %b = dycl.dict(%k, %x)
    dycl.yield %b
  }
  %v = dycl.invoke %d "get"(%k, %x)
  %known = dycl.constant "known"
  %e = dycl.dict()
  dycl.store_subscript %e[%known], %v
  dycl.return %v
}
