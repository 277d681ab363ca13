// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// `(...,) + (None,)` is known as a whole, as what `x[(..., None)]` is indexed by.

// CHECK-LABEL: func.func @forward
// CHECK:         [[I:%.*]] = dycl.constant #dycl.tuple<[#dycl.global<"builtins.Ellipsis">, #dycl.none]>
// CHECK-NEXT:    dycl.subscript %x{{\[}}[[I]]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %dots = dycl.constant #dycl.global<"builtins.Ellipsis">
  %none = dycl.constant #dycl.none
  %first = dycl.tuple(%dots)
  %second = dycl.tuple(%none)
  %index = dycl.binary add %first, %second
  %y = dycl.subscript %x[%index]
  dycl.return %y
}
