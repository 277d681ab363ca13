// RUN: not dycl-opt --dycl-check-normal %s 2>&1 | filecheck %s

// A module with functions needs one to start from.

// CHECK: error: the module has no entry function
func.func @f(%x: !dycl.value) -> !dycl.value {
  dycl.return %x
}
