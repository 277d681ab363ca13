// AVX2 writes thirteen lanes as eight, four and one; other masks stay.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s --target x86-64-v3 -p cpu-cut-masked-stores | filecheck %s
// RUN: dycl-kernel-opt %s --target x86-64-v4 -p cpu-cut-masked-stores | filecheck %s --check-prefix WIDE

// CHECK-LABEL: func.func @k
// CHECK: %[[A:.*]] = vector.extract_strided_slice %arg2 {offsets = [0], sizes = [8]
// CHECK: vector.store %[[A]], %arg0[%arg1] : memref<40xf32>, vector<8xf32>
// CHECK: %[[B:.*]] = vector.extract_strided_slice %arg2 {offsets = [8], sizes = [4]
// CHECK: vector.store %[[B]], %arg0[%{{.*}}] : memref<40xf32>, vector<4xf32>
// CHECK: %[[C:.*]] = vector.extract_strided_slice %arg2 {offsets = [12], sizes = [1]
// CHECK: vector.store %[[C]], %arg0[%{{.*}}] : memref<40xf32>, vector<1xf32>
// CHECK-NEXT: vector.maskedstore
// CHECK-NEXT: vector.maskedstore
// CHECK-NEXT: return
// WIDE-NOT: vector.store
func.func @k(%m: memref<40xf32>, %i: index, %v: vector<16xf32>, %any: vector<16xi1>) {
  %some = arith.constant dense<[true, true, true, true, true, true, true, true, true,
      true, true, true, true, false, false, false]> : vector<16xi1>
  %last = arith.constant dense<[false, true, true, true, true, true, true, true, true,
      true, true, true, true, true, true, true]> : vector<16xi1>
  vector.maskedstore %m[%i], %some, %v
      : memref<40xf32>, vector<16xi1>, vector<16xf32>
  vector.maskedstore %m[%i], %any, %v
      : memref<40xf32>, vector<16xi1>, vector<16xf32>
  vector.maskedstore %m[%i], %last, %v
      : memref<40xf32>, vector<16xi1>, vector<16xf32>
  return
}
