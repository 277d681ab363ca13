// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code --verify-diagnostics --split-input-file %s | filecheck %s

// Ints of rows are computed as those of tensors where they fit. What may not fit, or is
// no number that a function of Python's takes, is looked at first, for all rows at once.
// That takes time, so more rows than otherwise go one by one.

// CHECK-LABEL: func.func @multiplies(%x: !torch.vtensor<[?],si64>)
// CHECK:         [[FLOATS:%.*]] = torch.aten.mul.Tensor {{.*}} -> !torch.vtensor<[?],f64>
// CHECK:         torch.aten.gt.Scalar [[FLOATS]]
// CHECK:         [[EVERY:%.*]] = torch.aten.all
// CHECK:         [[FITS:%.*]] = dycl.item [[EVERY]]
// CHECK-NEXT:    dycl.effect "torch._check"([[FITS]], {{.*}})
// CHECK-NEXT:    torch.aten.mul.Tensor %x, %x : !torch.vtensor<[?],si64>
func.func @multiplies(%x: !torch.vtensor<[1],si64>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = dycl.item %x : (!torch.vtensor<[1],si64>) -> !torch.int
  %1 = dycl.binary mul %0, %0 : (!torch.int, !torch.int) -> !torch.int
  dycl.return %1 : (!torch.int) -> ()
}

// -----

// An int of a float is small in a group, and so is what is left by 7.

// CHECK-LABEL: func.func @rounds(%x: !torch.vtensor<[?],f32>)
// CHECK:         [[FLOOR:%.*]] = torch.aten.floor {{.*}} -> !torch.vtensor<[?],f64>
// CHECK:         torch.aten.lt.Scalar [[FLOOR]]
// CHECK:         dycl.effect "torch._check"
// CHECK:         %n = torch.aten.to.dtype [[FLOOR]], {{.*}} -> !torch.vtensor<[?],si64>
// CHECK-NOT:     dycl.effect
// CHECK:         %k = torch.aten.mul.Tensor %n
// CHECK-NOT:     dycl.effect
// CHECK:         torch.aten.div.Tensor_mode %k, {{.*}} -> !torch.vtensor<[?],si64>
// CHECK:         %m = torch.aten.where.self
func.func @rounds(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = dycl.item %x : (!torch.vtensor<[1],f32>) -> !torch.float
  %n = dycl.builtin "math.floor"(%0) : (!torch.float) -> !torch.int
  %seven = dycl.constant 7 : i64 -> !torch.int
  %k = dycl.binary mul %n, %seven : (!torch.int, !torch.int) -> !torch.int
  %m = dycl.binary mod %k, %seven : (!torch.int, !torch.int) -> !torch.int
  dycl.return %m : (!torch.int) -> ()
}

// -----

// CHECK-LABEL: func.func @divides(%x: !torch.vtensor<[?],f32>, %i: !torch.vtensor<[?],si64>)
// CHECK-SAME:    few = 48 : i64
// CHECK:         dycl.effect "torch._check"({{.*}})
// CHECK:         [[FLOAT:%.*]] = torch.aten.to.dtype %i, {{.*}} -> !torch.vtensor<[?],f64>
// CHECK:         torch.aten.ne.Scalar [[FLOAT]]
// CHECK:         dycl.constant "some row divides by 0"
// CHECK:         dycl.effect "torch._check"({{.*}})
// CHECK:         %y = torch.aten.div.Tensor %a, [[FLOAT]]
func.func @divides(%x: !torch.vtensor<[1],f32>, %i: !torch.vtensor<[1],si64>) attributes {dycl.entry, dycl.params = ["x", "i"], dycl.rows = ["x", "i"]} {
  %a = dycl.item %x : (!torch.vtensor<[1],f32>) -> !torch.float
  %n = dycl.item %i : (!torch.vtensor<[1],si64>) -> !torch.int
  %y = dycl.binary truediv %a, %n : (!torch.float, !torch.int) -> !torch.float
  dycl.return %y : (!torch.float) -> ()
}

// -----

// CHECK-LABEL: func.func @gamma(%x: !torch.vtensor<[1],f32>)
func.func @gamma(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %a = dycl.item %x : (!torch.vtensor<[1],f32>) -> !torch.float
  // expected-remark @+1 {{`math.gamma` is not computed for many rows}}
  %y = dycl.builtin "math.gamma"(%a) : (!torch.float) -> !torch.float
  dycl.return %y : (!torch.float) -> ()
}

// -----

// The number of bits is between 0 and 62, and what they are put behind fits.

// CHECK-LABEL: func.func @shifts(%x: !torch.vtensor<[?],si64>)
// CHECK:         [[NOT_BELOW:%.*]] = torch.aten.ge.Scalar %x
// CHECK:         dycl.effect "torch._check"
// CHECK:         [[BITS:%.*]] = torch.aten.clamp %x
// CHECK:         [[ROOM:%.*]] = torch.aten.rsub.Scalar [[BITS]]
// CHECK:         torch.aten.bitwise_right_shift.Tensor %x, [[ROOM]]
// CHECK:         dycl.effect "torch._check"
// CHECK:         [[SHIFTED:%.*]] = torch.aten.bitwise_left_shift.Tensor %x, [[BITS]]
// CHECK-NOT:     dycl.effect
// CHECK:         [[BACK:%.*]] = torch.aten.bitwise_right_shift.Tensor [[SHIFTED]]
// CHECK:         [[NEGATED:%.*]] = torch.aten.mul.Scalar [[BACK]]
// CHECK:         torch.aten.sub.Scalar [[NEGATED]]
func.func @shifts(%x: !torch.vtensor<[1],si64>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %four = dycl.constant 4 : i64 -> !torch.int
  %0 = dycl.item %x : (!torch.vtensor<[1],si64>) -> !torch.int
  %1 = dycl.binary lshift %0, %0 : (!torch.int, !torch.int) -> !torch.int
  %2 = dycl.binary rshift %1, %four : (!torch.int, !torch.int) -> !torch.int
  %3 = dycl.unary invert %2 : (!torch.int) -> !torch.int
  dycl.return %3 : (!torch.int) -> ()
}

// -----

// CHECK-LABEL: func.func @cubes(%x: !torch.vtensor<[?],si64>)
// CHECK:         torch.aten.gt.Scalar %x
// CHECK:         dycl.effect "torch._check"
// CHECK:         [[SQUARE:%.*]] = torch.aten.mul.Tensor %x, %x : !torch.vtensor<[?],si64>
// CHECK-NEXT:    torch.aten.mul.Tensor [[SQUARE]], %x
func.func @cubes(%x: !torch.vtensor<[1],si64>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %three = dycl.constant 3 : i64 -> !torch.int
  %0 = dycl.item %x : (!torch.vtensor<[1],si64>) -> !torch.int
  %1 = dycl.binary pow %0, %three : (!torch.int, !torch.int) -> !torch.int
  dycl.return %1 : (!torch.int) -> ()
}

// -----

// Of floats, a divisor is looked at, and a power: infinity of finite floats is none.

// CHECK-LABEL: func.func @of_floats(%x: !torch.vtensor<[?],f64>)
// CHECK:         dycl.constant "some row divides by 0"
// CHECK:         dycl.effect "torch._check"
// CHECK:         %r = torch.aten.where.self
// CHECK:         [[SIZE:%.*]] = torch.aten.abs %r
// CHECK:         torch.aten.remainder.Tensor [[SIZE]]
// CHECK:         %q = torch.aten.where.self
// CHECK:         %p = torch.aten.pow.Tensor_Tensor %x, %q
// CHECK:         dycl.constant "a power of some row is no float"
// CHECK:         dycl.effect "torch._check"
// CHECK:         %n = torch.aten.eq.Scalar %p
// CHECK-NOT:     dycl.effect
func.func @of_floats(%x: !torch.vtensor<[1],f64>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %a = dycl.item %x : (!torch.vtensor<[1],f64>) -> !torch.float
  %two = dycl.constant 2.0 : f64 -> !torch.float
  %r = dycl.binary mod %two, %a : (!torch.float, !torch.float) -> !torch.float
  %q = dycl.binary floordiv %r, %two : (!torch.float, !torch.float) -> !torch.float
  %p = dycl.binary pow %a, %q : (!torch.float, !torch.float) -> !torch.float
  %n = dycl.unary not %p : (!torch.float) -> !torch.bool
  dycl.return %n : (!torch.bool) -> ()
}
