// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code --verify-diagnostics --split-input-file %s | filecheck %s

// An index of each row into a tensor that is one for all.

// CHECK-LABEL: func.func @table(%i: !torch.vtensor<[?,3],si64>, %t: !torch.vtensor<[5,6],f32>)
// CHECK:         torch.aten.index.Tensor %t, {{.*}} -> !torch.vtensor<[?,1,3,6],f32>
// CHECK:         dycl.return {{.*}} : (!torch.vtensor<[?,3,6],f32>)
func.func @table(%i: !torch.vtensor<[1,3],si64>, %t: !torch.vtensor<[5,6],f32>) attributes {dycl.entry, dycl.params = ["i", "t"], dycl.rows = ["i"]} {
  %0 = torch.prim.ListConstruct %i : (!torch.vtensor<[1,3],si64>) -> !torch.list<optional<vtensor>>
  %y = torch.aten.index.Tensor %t, %0 : !torch.vtensor<[5,6],f32>, !torch.list<optional<vtensor>> -> !torch.vtensor<[1,3,6],f32>
  dycl.return %y : (!torch.vtensor<[1,3,6],f32>) -> ()
}

// -----

// Two indices become one, into the elements of all rows.

// CHECK-LABEL: func.func @both(%x: !torch.vtensor<[?,4,5],f32>, %i: !torch.vtensor<[?,3],si64>)
// CHECK:         torch.aten.mul.Scalar {{.*}} -> !torch.vtensor<[?,1,3],si64>
// CHECK:         [[ALL:%.*]] = torch.aten.flatten.using_ints {{.*}} -> !torch.vtensor<[?,1],f32>
// CHECK:         [[FIRSTS:%.*]] = torch.aten.unflatten.int {{.*}} -> !torch.vtensor<[?,1,1],si64>
// CHECK:         torch.aten.add.Tensor {{.*}}, [[FIRSTS]]
// CHECK:         torch.aten.index.Tensor [[ALL]], {{.*}} -> !torch.vtensor<[?,1,3,1],f32>
// CHECK:         torch.aten.permute
// CHECK:         dycl.return {{.*}} : (!torch.vtensor<[?,1,3],f32>)
func.func @both(%x: !torch.vtensor<[1,4,5],f32>, %i: !torch.vtensor<[1,3],si64>) attributes {dycl.entry, dycl.params = ["x", "i"], dycl.rows = ["x", "i"]} {
  %none = torch.constant.none
  %0 = torch.prim.ListConstruct %none, %i, %i : (!torch.none, !torch.vtensor<[1,3],si64>, !torch.vtensor<[1,3],si64>) -> !torch.list<optional<vtensor>>
  %y = torch.aten.index.Tensor %x, %0 : !torch.vtensor<[1,4,5],f32>, !torch.list<optional<vtensor>> -> !torch.vtensor<[1,1,3],f32>
  dycl.return %y : (!torch.vtensor<[1,1,3],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @puts(%x: !torch.vtensor<[?,4],f32>, %i: !torch.vtensor<[?,3],si64>, %s: !torch.vtensor<[],f32>)
// CHECK:         torch.aten.scatter.src {{.*}} -> !torch.vtensor<[?,4,1],f32>
// CHECK:         dycl.return {{.*}} : (!torch.vtensor<[?,4],f32>)
func.func @puts(%x: !torch.vtensor<[1,4],f32>, %i: !torch.vtensor<[1,3],si64>, %s: !torch.vtensor<[],f32>) attributes {dycl.entry, dycl.params = ["x", "i", "s"], dycl.rows = ["x", "i"]} {
  %none = torch.constant.none
  %false = torch.constant.bool false
  %0 = torch.prim.ListConstruct %none, %i : (!torch.none, !torch.vtensor<[1,3],si64>) -> !torch.list<optional<vtensor>>
  %y = torch.aten.index_put %x, %0, %s, %false : !torch.vtensor<[1,4],f32>, !torch.list<optional<vtensor>>, !torch.vtensor<[],f32>, !torch.bool -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @scatters(%x: !torch.vtensor<[?,4],f32>, %i: !torch.vtensor<[?,3],si64>)
// CHECK:         %y = torch.aten.scatter_add %x, {{.*}}, %i, %x
// CHECK:         torch.aten.eq.Tensor {{.*}} -> !torch.vtensor<[?,1,3,1],i1>
// CHECK:         dycl.return %y, %c {{.*}} : (!torch.vtensor<[?,4],f32>, !torch.vtensor<[?,3,1],si64>)
func.func @scatters(%x: !torch.vtensor<[1,4],f32>, %i: !torch.vtensor<[1,3],si64>) attributes {dycl.entry, dycl.params = ["x", "i"], dycl.rows = ["x", "i"]} {
  %int1 = torch.constant.int 1
  %y = torch.aten.scatter_add %x, %int1, %i, %x : !torch.vtensor<[1,4],f32>, !torch.int, !torch.vtensor<[1,3],si64>, !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  %c = torch.aten.one_hot %i, %int1 : !torch.vtensor<[1,3],si64>, !torch.int -> !torch.vtensor<[1,3,1],si64>
  dycl.return %y, %c : (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1,3,1],si64>) -> ()
}

// -----

// A mask finds as many elements as it says: no rows of one size.

// CHECK-LABEL: func.func @mask(%x: !torch.vtensor<[1,4],f32>)
func.func @mask(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %int1 = torch.constant.int 1
  %m = torch.aten.gt.Scalar %x, %int1 : !torch.vtensor<[1,4],f32>, !torch.int -> !torch.vtensor<[1,4],i1>
  %0 = torch.prim.ListConstruct %m : (!torch.vtensor<[1,4],i1>) -> !torch.list<optional<vtensor>>
  // expected-remark @+1 {{it has an index that is no tensor of 64-bit ints}}
  %y = torch.aten.index.Tensor %x, %0 : !torch.vtensor<[1,4],f32>, !torch.list<optional<vtensor>> -> !torch.vtensor<[?],f32>
  %z = torch.aten.sum %y, %int1 : !torch.vtensor<[?],f32>, !torch.int -> !torch.vtensor<[],f32>
  dycl.return %z : (!torch.vtensor<[],f32>) -> ()
}
