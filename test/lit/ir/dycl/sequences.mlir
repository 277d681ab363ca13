// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Lists and sizes that the data decides.

// CHECK:      %s = dycl.sequence(%x) : (!torch.vtensor<[?,4],f32>) -> !dycl.sequence<!torch.vtensor<[?,4],f32>>
// CHECK-NEXT: %a = dycl.append %s, %x : (!dycl.sequence<!torch.vtensor<[?,4],f32>>, !torch.vtensor<[?,4],f32>) -> !dycl.sequence<!torch.vtensor<[?,4],f32>>
// CHECK-NEXT: %e = dycl.extend %s, %a
// CHECK-NEXT: %n = dycl.length %e
// CHECK-NEXT: %i = dycl.get %e[%n]
// CHECK-NEXT: %c = dycl.concat cat %e dim 1
// CHECK-NEXT: %d = dycl.dim %c 1 : (!torch.vtensor<[?,?],f32>) -> !torch.int
// CHECK-NEXT: %f = dycl.checked %c, %p "too short" : (!torch.vtensor<[?,?],f32>, !torch.bool) -> !torch.vtensor<[?,?],f32>
// CHECK-NEXT: %o = dycl.cast %x : (!torch.vtensor<[?,4],f32>) -> !torch.vtensor<[?,?],f32>
// CHECK-NEXT: %r = dycl.refine %x : (!torch.vtensor<[?,4],f32>) -> !torch.vtensor<[7,4],f32>
func.func @f(%x: !torch.vtensor<[?,4],f32>, %p: !torch.bool) {
  %s = dycl.sequence(%x) : (!torch.vtensor<[?,4],f32>) -> !dycl.sequence<!torch.vtensor<[?,4],f32>>
  %a = dycl.append %s, %x : (!dycl.sequence<!torch.vtensor<[?,4],f32>>, !torch.vtensor<[?,4],f32>) -> !dycl.sequence<!torch.vtensor<[?,4],f32>>
  %e = dycl.extend %s, %a : (!dycl.sequence<!torch.vtensor<[?,4],f32>>, !dycl.sequence<!torch.vtensor<[?,4],f32>>) -> !dycl.sequence<!torch.vtensor<[?,4],f32>>
  %n = dycl.length %e : (!dycl.sequence<!torch.vtensor<[?,4],f32>>) -> !torch.int
  %i = dycl.get %e[%n] : (!dycl.sequence<!torch.vtensor<[?,4],f32>>, !torch.int) -> !torch.vtensor<[?,4],f32>
  %c = dycl.concat cat %e dim 1 : (!dycl.sequence<!torch.vtensor<[?,4],f32>>) -> !torch.vtensor<[?,?],f32>
  %d = dycl.dim %c 1 : (!torch.vtensor<[?,?],f32>) -> !torch.int
  %f = dycl.checked %c, %p "too short" : (!torch.vtensor<[?,?],f32>, !torch.bool) -> !torch.vtensor<[?,?],f32>
  %o = dycl.cast %x : (!torch.vtensor<[?,4],f32>) -> !torch.vtensor<[?,?],f32>
  %r = dycl.refine %x : (!torch.vtensor<[?,4],f32>) -> !torch.vtensor<[7,4],f32>
  func.return
}
