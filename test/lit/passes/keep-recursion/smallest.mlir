// RUN: dycl-opt --dycl-keep-recursion %s | filecheck %s

// Nothing waits: nothing is kept.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    dycl.return %x
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  dycl.return %x
}
