// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// `n += 1` of a number or tuple makes a new one; of a tensor it changes the tensor.

// CHECK-LABEL: func.func @forward
// CHECK:         %m = dycl.binary add %n, %x
// CHECK-NEXT:    %t = dycl.inplace add %x, %m
// CHECK-NEXT:    %pair = dycl.tuple(%x, %n)
// CHECK-NEXT:    %more = dycl.binary add %pair, %t
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %p = dycl.to_bool %x
  %two = dycl.constant 2 : i64
  %n = dycl.select %p, %one, %two
  %m = dycl.inplace add %n, %x
  %t = dycl.inplace add %x, %m
  %pair = dycl.tuple(%x, %n)
  %more = dycl.inplace add %pair, %t
  dycl.return %more
}
