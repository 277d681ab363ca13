// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// `experts[i]` raises for an index out of range, also if nobody uses the element.

// CHECK:         dycl.position %i in 1 : i64 else "IndexError: list index out of range"
// CHECK-NEXT:    dycl.return %x
func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %list = dycl.list(%x)
  %y = dycl.subscript %list[%i] : (!dycl.value, !torch.int) -> !dycl.value
  dycl.return %x
}
