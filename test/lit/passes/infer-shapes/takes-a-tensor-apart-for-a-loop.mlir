// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// A loop over what `unbind` gives goes over a known number of tensors.

// CHECK:         %{{.*}}, %{{.*}}, %{{.*}} = dycl.unpack %rows -> 3
// CHECK-NEXT:    %[[T:.*]] = dycl.tuple(
// CHECK-NEXT:    dycl.for %row in %[[T]]
func.func @forward(%x: !torch.vtensor<[3,2],f32>) attributes {dycl.entry} {
  %rows = dycl.invoke %x "unbind"() : (!torch.vtensor<[3,2],f32>) -> !dycl.value
  dycl.for %row in %rows {
    dycl.setattr %row "a", %row
  }
  dycl.return %x : (!torch.vtensor<[3,2],f32>) -> ()
}
