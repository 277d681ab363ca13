// The sizes of a view follow from those of what it shows, as torch-mlir computes them.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-note-memory | filecheck %s

// CHECK: dycl.memory = "
// CHECK-SAME: \22steps\22:{{\[\[}}\22mul\22,8,\220.0\22],[\22mul\22,\220.0\22,4],[\22mul\22,4,\22t1\22],[\22mul\22,\220.0\22,4],[\22div\22,\22t3\22,4{{\]\]}}
// CHECK-SAME: \22blocks\22:[\22t0\22,\22t2\22]
// CHECK-SAME: \22events\22:[0,1,-1]
// CHECK-SAME: \22results\22:{{\[\[}}\22t4\22,2,2{{\]\]}}
// CHECK-SAME: \22whole\22:true
func.func @k(%x: memref<?x4xf32>) -> memref<?x2x2xf32> {
  %zero = arith.constant 0 : index
  %zero_i64 = arith.constant 0 : i64
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %n = memref.dim %x, %zero : memref<?x4xf32>
  %n_i64 = arith.index_cast %n : index to i64
  %negative = arith.cmpi slt, %n_i64, %zero_i64 : i64
  %size = arith.select %negative, %one, %n : index
  %a = memref.alloc(%size) : memref<?xf64>
  %flat = memref.collapse_shape %x [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %m = memref.dim %flat, %zero : memref<?xf32>
  %y = memref.alloc(%m) : memref<?xf32>
  memref.dealloc %a : memref<?xf64>
  %more = affine.apply affine_map<()[s0] -> (s0 * 4)>()[%n]
  %rows = arith.divsi %more, %four : index
  %view = memref.expand_shape %y [[0, 1, 2]] output_shape [%rows, 2, 2] : memref<?xf32> into memref<?x2x2xf32>
  return %view : memref<?x2x2xf32>
}
