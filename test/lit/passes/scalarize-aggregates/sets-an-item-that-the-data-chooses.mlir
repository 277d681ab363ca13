// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Each item is the new one or what it was; a place outside of the list raises.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[P:.*]] = dycl.position %k in 2 : i64 else "IndexError: list assignment index out of range"
// CHECK:         %[[FIRST:.*]] = dycl.compare eq %[[P]], %{{.*}}
// CHECK-NEXT:    %[[A:.*]] = dycl.select %[[FIRST]], %v, %{{.*}}
// CHECK:         %[[SECOND:.*]] = dycl.compare eq %[[P]], %{{.*}}
// CHECK-NEXT:    %[[B:.*]] = dycl.select %[[SECOND]], %v, %{{.*}}
// CHECK-NOT:     store_subscript
// CHECK:         %[[L:.*]] = dycl.list(%[[A]], %[[B]])
// CHECK:         dycl.return %[[L]]
func.func @forward(%k: !torch.int, %v: !torch.int) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %l = dycl.list(%zero, %one)
  dycl.store_subscript %l[%k], %v : (!dycl.value, !torch.int, !torch.int) -> ()
  dycl.return %l
}
