// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code --verify-diagnostics --split-input-file %s | filecheck %s

// An element that fills a tensor is spread behind its row, and stands beside others. A
// number of each row that `where` takes is in the dtype of the result. An element of
// another dtype stays: eager asks whether it fits.

// CHECK-LABEL: func.func @fills(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         [[MOST:%.*]] = torch.aten.amax {{.*}} -> !torch.vtensor<[?],f32>
// CHECK:         [[COLUMN:%.*]] = torch.aten.unsqueeze [[MOST]], {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK:         %y = torch.aten.expand [[COLUMN]], {{.*}} -> !torch.vtensor<[?,4],f32>
// CHECK:         %z = torch.aten.where.self %c, {{.*}}, %y
func.func @fills(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %zero = torch.constant.int 0
  %m = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %y = torch.aten.fill.Tensor %x, %m : !torch.vtensor<[1,4],f32>, !torch.vtensor<[],f32> -> !torch.vtensor<[1,4],f32>
  %c = torch.aten.gt.Scalar %x, %zero : !torch.vtensor<[1,4],f32>, !torch.int -> !torch.vtensor<[1,4],i1>
  %z = torch.aten.masked_fill.Tensor %y, %c, %m : !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],i1>, !torch.vtensor<[],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %z : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @chooses(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         [[NUMBER:%.*]] = torch.aten.unsqueeze {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK:         [[ONE:%.*]] = torch.aten.full_like [[NUMBER]], {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK:         %y = torch.aten.where.self %c, [[NUMBER]], [[ONE]]
// CHECK:         %z = torch.aten.where.ScalarOther %c, %y, %one
func.func @chooses(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %one = torch.constant.float 1.0
  %m = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %n = dycl.item %m : (!torch.vtensor<[],f32>) -> !torch.float
  %c = torch.aten.gt.Scalar %x, %one : !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],i1>
  %y = torch.aten.where.Scalar %c, %n, %one : !torch.vtensor<[1,4],i1>, !torch.float, !torch.float -> !torch.vtensor<[1,4],f32>
  %z = torch.aten.where.ScalarOther %c, %y, %one : !torch.vtensor<[1,4],i1>, !torch.vtensor<[1,4],f32>, !torch.float -> !torch.vtensor<[1,4],f32>
  dycl.return %z : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @other(%x: !torch.vtensor<[1,4],f32>)
func.func @other(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %false = torch.constant.bool false
  %k = torch.aten.argmax %x, %none, %false : !torch.vtensor<[1,4],f32>, !torch.none, !torch.bool -> !torch.vtensor<[],si64>
  // expected-remark @+1 {{its operands have several dtypes}}
  %y = torch.aten.fill.Tensor %x, %k : !torch.vtensor<[1,4],f32>, !torch.vtensor<[],si64> -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @makes(%x: !torch.vtensor<[?,1],f32>)
// CHECK:         [[NUMBER:%.*]] = torch.aten.unflatten.int {{.*}} -> !torch.vtensor<[?,1,1],f32>
// CHECK:         %y = torch.aten.expand [[NUMBER]], {{.*}} -> !torch.vtensor<[?,2,3],f32>
// CHECK:         [[SEEN:%.*]] = torch.aten.unsqueeze %x, {{.*}} -> !torch.vtensor<[?,1,1],f32>
// CHECK:         [[WIDE:%.*]] = torch.aten.expand [[SEEN]], {{.*}} -> !torch.vtensor<[?,2,3],f32>
// CHECK:         %z = torch.aten.mul.Tensor [[WIDE]], {{.*}}
func.func @makes(%x: !torch.vtensor<[1,1],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %int2 = torch.constant.int 2
  %int3 = torch.constant.int 3
  %n = dycl.item %x : (!torch.vtensor<[1,1],f32>) -> !torch.float
  %sizes = torch.prim.ListConstruct %int2, %int3 : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.full %sizes, %n, %none, %none, %none, %none : !torch.list<int>, !torch.float, !torch.none, !torch.none, !torch.none, !torch.none -> !torch.vtensor<[2,3],f32>
  %both = torch.prim.ListConstruct %x, %y : (!torch.vtensor<[1,1],f32>, !torch.vtensor<[2,3],f32>) -> !torch.list<vtensor>
  %spread = torch.aten.broadcast_tensors %both : !torch.list<vtensor> -> !torch.list<vtensor>
  %0, %1 = torch.prim.ListUnpack %spread : !torch.list<vtensor> -> !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],f32>
  %z = torch.aten.mul.Tensor %0, %1 : !torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,3],f32>
  dycl.return %z : (!torch.vtensor<[2,3],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @likes(%x: !torch.vtensor<[?,4],f32>)
// CHECK:         [[NUMBER:%.*]] = torch.aten.unsqueeze {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK:         %y = torch.aten.expand [[NUMBER]], {{.*}} -> !torch.vtensor<[?,4],f32>
func.func @likes(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %m = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %n = dycl.item %m : (!torch.vtensor<[],f32>) -> !torch.float
  %y = torch.aten.full_like %x, %n, %none, %none, %none, %none, %none : !torch.vtensor<[1,4],f32>, !torch.float, !torch.none, !torch.none, !torch.none, !torch.none, !torch.none -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}
