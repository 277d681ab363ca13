// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Of [?, 1] the second dim goes, and the first one in runs where it is one.

// CHECK:      %[[V:.+]] = dycl.invoke %x "select"
// CHECK:      %[[N:.+]] = dycl.invoke %x "size"
// CHECK:      %[[P:.+]] = dycl.compare eq %[[N]]
// CHECK-NEXT: %[[R:.+]] = dycl.if %[[P]]
// CHECK:        dycl.invoke %[[V]] "select"
// CHECK:      } else {
// CHECK-NEXT:   dycl.yield %[[V]]
// CHECK:      dycl.return %[[R]]
func.func @forward(%x: !torch.vtensor<[?,1],f32>) attributes {dycl.entry} {
  %y = dycl.invoke %x "squeeze"() : (!torch.vtensor<[?,1],f32>) -> !dycl.value
  dycl.return %y
}
