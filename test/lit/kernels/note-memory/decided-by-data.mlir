// A size that is read from memory does not follow from those of the inputs.
// REQUIRES: torch-mlir
// RUN: dycl-kernel-opt %s -p cpu-note-memory | filecheck %s

// CHECK: dycl.memory = "
// CHECK-SAME: \22blocks\22:[]
// CHECK-SAME: \22results\22:{{\[\[}}null{{\]\]}}
// CHECK-SAME: \22whole\22:false
func.func @k(%x: memref<index>) -> memref<?xf32> {
  %n = memref.load %x[] : memref<index>
  %y = memref.alloc(%n) : memref<?xf32>
  return %y : memref<?xf32>
}
