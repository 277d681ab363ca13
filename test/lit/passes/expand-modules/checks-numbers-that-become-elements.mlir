// REQUIRES: torch
// RUN: dycl-opt --dycl-expand-modules %s | filecheck %s

// A number that becomes an element is there only if it fits the dtype; infinity and NaN
// fit f32, and so does what was read from it.

// CHECK:      %[[MOST:.*]] = dycl.constant 3.4028234663852886e+38 : f64 -> !torch.float
// CHECK:      %[[BEYOND:.*]] = dycl.compare gt %f, %[[MOST]]
// CHECK:      %[[FINITE:.*]] = dycl.compare ne %f, %{{.*}}
// CHECK-NEXT: %[[OUT:.*]] = dycl.select %[[BEYOND]], %[[FINITE]], %[[BEYOND]]
// CHECK-NEXT: %[[IN:.*]] = dycl.unary not %[[OUT]]
// CHECK-NEXT: %[[ONE:.*]] = dycl.checked %f, %[[IN]] "value cannot be converted to type float without overflow"
// CHECK:      %[[F:.*]] = dycl.checked %[[ONE]], %{{.*}} "value cannot be converted to type float without overflow"
// CHECK-NEXT: %y = torch.aten.masked_fill.Scalar %x, %m, %[[F]]
// CHECK:      %i = dycl.item %e
// CHECK-NEXT: %z = torch.aten.masked_fill.Scalar %x, %m, %i
func.func @forward(%x: !torch.vtensor<[3],f32>, %m: !torch.vtensor<[3],i1>, %e: !torch.vtensor<[],f32>, %f: !torch.float) attributes {dycl.entry} {
  %y = dycl.invoke %x "masked_fill"(%m, %f) : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],i1>, !torch.float) -> !torch.vtensor<[3],f32>
  %i = dycl.invoke %e "item"() : (!torch.vtensor<[],f32>) -> !torch.float
  %z = dycl.invoke %x "masked_fill"(%m, %i) : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],i1>, !torch.float) -> !torch.vtensor<[3],f32>
  dycl.return %y, %z : (!torch.vtensor<[3],f32>, !torch.vtensor<[3],f32>) -> ()
}
