// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// What reads the list goes into both sides; what does not, and comes after, stays.

// CHECK-LABEL: func.func @forward
// CHECK:         %t = dycl.if %p : !torch.bool -> (!torch.bool) {
// CHECK-NEXT:      %{{.*}} = dycl.invoke %l "append"(%x)
// CHECK-NEXT:      %{{.*}} = dycl.to_bool %l
// CHECK-NEXT:      dycl.yield
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %{{.*}} = dycl.to_bool %l
// CHECK-NEXT:      dycl.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}} = dycl.unary neg %x
// CHECK-NEXT:    dycl.return %t
func.func @forward(%x: !dycl.value, %p: !torch.bool) attributes {dycl.entry} {
  %l = dycl.list()
  dycl.if %p : !torch.bool {
    %0 = dycl.invoke %l "append"(%x)
    dycl.yield
  }
  %t = dycl.to_bool %l : (!dycl.value) -> !torch.bool
  %z = dycl.unary neg %x
  dycl.return %t : (!torch.bool) -> ()
}
