// RUN: dycl-opt --dycl-specialize-sizes %s | filecheck %s
// RUN: dycl-opt --dycl-specialize-sizes --dycl-specialize-sizes %s | filecheck %s

// A version for each size that is named, with inputs of that size; what was there takes
// the others. Twice is once.

// CHECK:      func.func @forward(%x: !torch.vtensor<[?,5],f32>)
// CHECK:        %[[N:.*]] = dycl.dim %x 0
// CHECK-NEXT:   %[[A:.*]] = dycl.constant 1 : i64
// CHECK-NEXT:   %[[IS:.*]] = dycl.compare eq %[[N]], %[[A]]
// CHECK-NEXT:   dycl.if %[[IS]] : !torch.bool {
// CHECK-NEXT:     %[[ONE:.*]] = dycl.refine %x : (!torch.vtensor<[?,5],f32>) -> !torch.vtensor<[1,5],f32>
// CHECK-NEXT:     %[[Y:.*]] = dycl.invoke %[[ONE]] "exp"()
// CHECK-NEXT:     dycl.return %[[Y]]
// CHECK-NEXT:   } {test = "n == 1"}
// CHECK:        dycl.constant 7 : i64
// CHECK:          dycl.refine %x : {{.*}} -> !torch.vtensor<[7,5],f32>
// CHECK:        } {test = "n == 7"}
// CHECK-NEXT:   %y{{.*}} = dycl.invoke %x "exp"()
// CHECK-NEXT:   dycl.return
// CHECK-NEXT: }
func.func @forward(%x: !torch.vtensor<[?,5],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.sizes = [#dycl.size<"n", 0 to 40 for 1 7, "x" 0>]} {
  %y = dycl.invoke %x "exp"() : (!torch.vtensor<[?,5],f32>) -> !dycl.value
  dycl.return %y
}
