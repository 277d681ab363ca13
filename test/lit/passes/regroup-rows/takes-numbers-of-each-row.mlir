// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code --verify-diagnostics --split-input-file %s | filecheck %s

// A number of the host that differs from row to row is a tensor beside the others, in
// the dtype in which torch computes; a part that each row chooses is gathered. Numbers
// beside half floats stay, which torch computes in float32, and bounds that may be NaN.

// CHECK-LABEL: func.func @scales(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         %n = torch.aten.to.dtype {{.*}} -> !torch.vtensor<[?],f64>
// CHECK:         [[NUMBER:%.*]] = torch.aten.to.dtype %n, {{.*}} -> !torch.vtensor<[?],f32>
// CHECK:         [[COLUMN:%.*]] = torch.aten.unsqueeze [[NUMBER]], {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK-NEXT:    %y = torch.aten.mul.Tensor %x, [[COLUMN]]
func.func @scales(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %n = dycl.item %0 : (!torch.vtensor<[],f32>) -> !torch.float
  %y = torch.aten.mul.Scalar %x, %n : !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @takes(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         %k = torch.aten.argmax %x
// CHECK-NOT:     dycl.position
// CHECK:         torch.aten.gather {{.*}} -> !torch.vtensor<[?,1,1],f32>
// CHECK:         dycl.return %y {{.*}} : (!torch.vtensor<[?],f32>)
func.func @takes(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %false = torch.constant.bool false
  %int1 = torch.constant.int 1
  %0 = torch.aten.argmax %x, %none, %false : !torch.vtensor<[1,4],f32>, !torch.none, !torch.bool -> !torch.vtensor<[],si64>
  %k = dycl.item %0 : (!torch.vtensor<[],si64>) -> !torch.int
  %i = dycl.position %k in 4 : i64 else "no item {}" : (!torch.int) -> !torch.int
  %y = torch.aten.select.int %x, %int1, %i : !torch.vtensor<[1,4],f32>, !torch.int, !torch.int -> !torch.vtensor<[1],f32>
  dycl.return %y : (!torch.vtensor<[1],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @halves(%x: !torch.vtensor<[1,4],f16>)
func.func @halves(%x: !torch.vtensor<[1,4],f16>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f16> -> !torch.vtensor<[],f16>
  %n = dycl.item %0 : (!torch.vtensor<[],f16>) -> !torch.float
  // expected-remark @+1 {{its number differs from row to row}}
  %y = torch.aten.mul.Scalar %x, %n : !torch.vtensor<[1,4],f16>, !torch.float -> !torch.vtensor<[1,4],f16>
  dycl.return %y : (!torch.vtensor<[1,4],f16>) -> ()
}

// -----

// CHECK-LABEL: func.func @powers(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         [[NUMBER:%.*]] = torch.aten.unsqueeze {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK-NEXT:    %y = torch.aten.pow.Tensor_Tensor %x, [[NUMBER]]
// CHECK:         [[BASE:%.*]] = torch.aten.unsqueeze {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK-NEXT:    %z = torch.aten.pow.Tensor_Tensor [[BASE]], %y
// CHECK:         %w = torch.aten.pow.Scalar %two, %z
func.func @powers(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %two = torch.constant.int 2
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %n = dycl.item %0 : (!torch.vtensor<[],f32>) -> !torch.float
  %y = torch.aten.pow.Tensor_Scalar %x, %n : !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],f32>
  %z = torch.aten.pow.Scalar %n, %y : !torch.float, !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  %w = torch.aten.pow.Scalar %two, %z : !torch.int, !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %w : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @bounds(%x: !torch.vtensor<[?,4],f32>, %k: !torch.vtensor<[?],si64>)
// CHECK:         [[ABOVE:%.*]] = torch.aten.clamp %x, %zero, {{.*}} !torch.int, !torch.none
// CHECK:         [[END:%.*]] = torch.aten.unsqueeze {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK-NEXT:    [[BEYOND:%.*]] = torch.aten.gt.Tensor [[ABOVE]], [[END]]
// CHECK-NEXT:    %y = torch.aten.where.self [[BEYOND]], [[END]], [[ABOVE]]
func.func @bounds(%x: !torch.vtensor<[1,4],f32>, %k: !torch.vtensor<[1],si64>) attributes {dycl.entry, dycl.params = ["x", "k"], dycl.rows = ["x", "k"]} {
  %zero = torch.constant.int 0
  %n = dycl.item %k : (!torch.vtensor<[1],si64>) -> !torch.int
  %y = torch.aten.clamp %x, %zero, %n : !torch.vtensor<[1,4],f32>, !torch.int, !torch.int -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @bounded(%x: !torch.vtensor<[1,4],f32>)
func.func @bounded(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %n = dycl.item %0 : (!torch.vtensor<[],f32>) -> !torch.float
  // expected-remark @+1 {{its number differs from row to row}}
  %y = torch.aten.clamp %x, %none, %n : !torch.vtensor<[1,4],f32>, !torch.none, !torch.float -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// Truths and ints become what torch computes with first, and one tensor is scaled before
// another is added.

// CHECK-LABEL: func.func @kinds(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         %c = torch.aten.gt.Scalar %x
// CHECK:         [[ONES:%.*]] = torch.aten.to.dtype %c, {{.*}} -> !torch.vtensor<[?,4],f32>
// CHECK:         %y = torch.aten.mul.Tensor %x, [[ONES]]
// CHECK:         [[FLOATS:%.*]] = torch.aten.to.dtype %c, {{.*}} -> !torch.vtensor<[?,4],f32>
// CHECK:         %z = torch.aten.mul.Tensor [[FLOATS]], {{.*}} -> !torch.vtensor<[?,4],f32>
// CHECK:         [[SCALED:%.*]] = torch.aten.mul.Tensor %z, {{.*}} -> !torch.vtensor<[?,4],f32>
// CHECK:         %w = torch.aten.add.Tensor %y, [[SCALED]]
// CHECK:         %r = torch.aten.remainder.Tensor %w
func.func @kinds(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %zero = torch.constant.int 0
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %n = dycl.item %0 : (!torch.vtensor<[],f32>) -> !torch.float
  %c = torch.aten.gt.Scalar %x, %zero : !torch.vtensor<[1,4],f32>, !torch.int -> !torch.vtensor<[1,4],i1>
  %y = torch.aten.mul.Tensor %x, %c : !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],i1> -> !torch.vtensor<[1,4],f32>
  %z = torch.aten.mul.Scalar %c, %n : !torch.vtensor<[1,4],i1>, !torch.float -> !torch.vtensor<[1,4],f32>
  %w = torch.aten.add.Tensor %y, %z, %n : !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],f32>
  %r = torch.aten.remainder.Scalar %w, %n : !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],f32>
  dycl.return %r : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// What is compared in is not in the result.

// CHECK-LABEL: func.func @compares(%x: !torch.vtensor<[1,4],f32>, %i: !torch.vtensor<[1,4],si64>)
func.func @compares(%x: !torch.vtensor<[1,4],f32>, %i: !torch.vtensor<[1,4],si64>) attributes {dycl.entry, dycl.params = ["x", "i"], dycl.rows = ["x", "i"]} {
  // expected-remark @+1 {{its operands have several dtypes}}
  %c = torch.aten.gt.Tensor %x, %i : !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],si64> -> !torch.vtensor<[1,4],i1>
  dycl.return %c : (!torch.vtensor<[1,4],i1>) -> ()
}
