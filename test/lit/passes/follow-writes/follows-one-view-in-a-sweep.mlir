// REQUIRES: torch
// RUN: dycl-opt --dycl-follow-writes %s | filecheck %s --check-prefix=ONCE
// RUN: dycl-opt -p "dycl-repeat{passes=dycl-follow-writes}" %s | filecheck %s

// Two views of one tensor are written to: the second is one of what the first has made.

// ONCE-COUNT-1: dycl.update_subscript
// ONCE-NOT:     dycl.update_subscript
// CHECK:         %y_1 = dycl.update_subscript %y[%i]
// CHECK:         %y_2 = dycl.update_subscript %y_1[%k]
// CHECK-NEXT:    dycl.return %y_2
func.func @forward(%x: !torch.vtensor<[2,3],f32>) attributes {dycl.entry} {
  %i = dycl.constant 0 : i64
  %k = dycl.constant 1 : i64
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32>
  %v = dycl.subscript %y[%i] : (!torch.vtensor<[2,3],f32>, !dycl.value) -> !torch.vtensor<[3],f32>
  %w = dycl.subscript %y[%k] : (!torch.vtensor<[2,3],f32>, !dycl.value) -> !torch.vtensor<[3],f32>
  %a = dycl.invoke %v "relu_"() : (!torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  %b = dycl.invoke %w "relu_"() : (!torch.vtensor<[3],f32>) -> !torch.vtensor<[3],f32>
  dycl.return %y : (!torch.vtensor<[2,3],f32>) -> ()
}
