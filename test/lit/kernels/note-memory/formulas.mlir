// What is allocated and freed in turn, in terms of the sizes of inputs.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-note-memory | filecheck %s

// CHECK: dycl.memory = "
// CHECK-SAME: \22steps\22:{{\[\[}}\22add\22,\220.1\22,2],[\22mul\22,8,\22t0\22],[\22mul\22,12,\220.1\22{{\]\]}}
// CHECK-SAME: \22blocks\22:[\22t1\22,\22t2\22]
// CHECK-SAME: \22events\22:[0,1,-1]
// CHECK-SAME: \22results\22:{{\[\[}}3,\220.1\22{{\]\]}}
// CHECK-SAME: \22whole\22:true
func.func @k(%x: memref<1x?xf32>) -> memref<3x?xf32> {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %n = memref.dim %x, %one : memref<1x?xf32>
  %more = arith.addi %n, %two : index
  %a = memref.alloc(%more) : memref<?xf64>
  %y = memref.alloc(%n) : memref<3x?xf32>
  memref.dealloc %a : memref<?xf64>
  return %y : memref<3x?xf32>
}
