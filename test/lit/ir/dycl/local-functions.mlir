// RUN: dycl-opt %s | dycl-opt | filecheck %s
// RUN: dycl-opt --mlir-print-op-generic %s | dycl-opt | filecheck %s

// A local function stands in front of its calls and may call itself.

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    dycl.local_function "halve"(%a) {
// CHECK-NEXT:      %p = dycl.to_bool %a
// CHECK-NEXT:      dycl.if %p {
// CHECK-NEXT:        dycl.local_return %a
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = dycl.local_call "halve"(%a)
// CHECK-NEXT:      dycl.local_return %b
// CHECK-NEXT:    } {max_depth = 9 : i64}
// CHECK-NEXT:    %y = dycl.local_call "halve"(%x)
// CHECK-NEXT:    dycl.return %y
func.func @f(%x: !dycl.value) -> !dycl.value {
  dycl.local_function "halve"(%a) {
    %p = dycl.to_bool %a
    dycl.if %p {
      dycl.local_return %a
    }
    %b = dycl.local_call "halve"(%a)
    dycl.local_return %b
  } {max_depth = 9 : i64}
  %y = dycl.local_call "halve"(%x)
  dycl.return %y
}
