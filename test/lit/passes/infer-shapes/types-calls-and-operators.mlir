// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s
// RUN: dycl-opt --dycl-infer-shapes --dycl-infer-shapes %s | filecheck %s

// Functions, methods, operators and numbers get the types that torch and Python give.

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.call %relu(%x) {{.*}} -> !torch.vtensor<[1,3],f32>
// CHECK-NEXT:    %n = dycl.constant 1 : i64 -> !torch.int
// CHECK-NEXT:    %m = dycl.invoke %y "argmax"(%n) {{.*}} -> !torch.vtensor<[1],si64>
// CHECK-NEXT:    %c = dycl.compare gt %m, %n {{.*}} -> !torch.vtensor<[1],i1>
// CHECK-NEXT:    %p = dycl.to_bool %c {{.*}} -> !torch.bool
// CHECK-NEXT:    %i = dycl.invoke %m "item"() {{.*}} -> !torch.int
// CHECK-NEXT:    %h = dycl.binary truediv %i, %n {{.*}} -> !torch.float
func.func @forward(%x: !torch.vtensor<[1,3],f32>) attributes {dycl.entry} {
  %relu = dycl.constant #dycl.global<"torch.relu">
  %y = dycl.call %relu(%x) : (!dycl.value, !torch.vtensor<[1,3],f32>) -> !dycl.value
  %n = dycl.constant 1 : i64
  %m = dycl.invoke %y "argmax"(%n)
  %c = dycl.compare gt %m, %n
  %p = dycl.to_bool %c
  %i = dycl.invoke %m "item"()
  %h = dycl.binary truediv %i, %n
  %t = dycl.tuple(%p, %h)
  dycl.return %t
}
