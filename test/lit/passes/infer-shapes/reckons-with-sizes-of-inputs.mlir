// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// A size of inputs is one number wherever its name stands. What its range settles is a
// constant; what it leaves open is asked in the run. How many sizes there are is known.

// CHECK-LABEL: func.func @forward
// CHECK:         %small = dycl.compare le %n, %most
// CHECK-NEXT:    %small_1 = dycl.constant true -> !torch.bool
// CHECK:         %large = dycl.compare gt %n, %some : (!torch.int, !torch.int) -> !torch.bool
// CHECK-NEXT:    %z = dycl.binary matmul
// CHECK:         %rank = dycl.call %len(%shape)
// CHECK-NEXT:    %rank_1 = dycl.constant 2 : i64 -> !torch.int
func.func @forward(%x: !torch.vtensor<[2,?],f32>, %y: !torch.vtensor<[?,3],f32>) attributes {dycl.entry, dycl.params = ["x", "y"], dycl.sizes = [#dycl.size<"n", 1 to 8, "x" 1, "y" 0>]} {
  %one = dycl.constant 1 : i64
  %most = dycl.constant 8 : i64
  %some = dycl.constant 4 : i64
  %n = dycl.invoke %x "size"(%one) : (!torch.vtensor<[2,?],f32>, !dycl.value) -> !dycl.value
  %small = dycl.compare le %n, %most
  %large = dycl.compare gt %n, %some
  %z = dycl.binary matmul %x, %y : (!torch.vtensor<[2,?],f32>, !torch.vtensor<[?,3],f32>) -> !dycl.value
  %len = dycl.constant #dycl.global<"builtins.len">
  %shape = dycl.getattr %x "shape" : (!torch.vtensor<[2,?],f32>) -> !dycl.value
  %rank = dycl.call %len(%shape)
  %t = dycl.tuple(%small, %large, %z, %rank)
  dycl.return %t
}
