// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code --verify-diagnostics --split-input-file %s | filecheck %s

// The rows have a letter of their own in an equation. What is the same for all rows is
// left as it is.

// CHECK-LABEL: func.func @sums(%x: !torch.vtensor<[?,4],f32>, %w: !torch.vtensor<[4,3],f32>)
// CHECK:         [[SEEN:%.*]] = torch.aten.unsqueeze %x, {{.*}} -> !torch.vtensor<[?,1,4],f32>
// CHECK:         torch.constant.str "abi,ij->abj"
// CHECK:         [[ITEMS:%.*]] = torch.prim.ListConstruct [[SEEN]], %w
// CHECK:         torch.aten.einsum {{.*}}, [[ITEMS]], {{.*}} -> !torch.vtensor<[?,1,3],f32>
func.func @sums(%x: !torch.vtensor<[1,4],f32>, %w: !torch.vtensor<[4,3],f32>) attributes {dycl.entry, dycl.params = ["x", "w"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %s = torch.constant.str "bi, ij->bj"
  %0 = torch.prim.ListConstruct %x, %w : (!torch.vtensor<[1,4],f32>, !torch.vtensor<[4,3],f32>) -> !torch.list<vtensor>
  %y = torch.aten.einsum %s, %0, %none : !torch.str, !torch.list<vtensor>, !torch.none -> !torch.vtensor<[1,3],f32>
  dycl.return %y : (!torch.vtensor<[1,3],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @implied(%x: !torch.vtensor<[1,4],f32>)
func.func @implied(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %s = torch.constant.str "...i->..."
  %0 = torch.prim.ListConstruct %x : (!torch.vtensor<[1,4],f32>) -> !torch.list<vtensor>
  // expected-remark @+1 {{its equation does not name all dimensions}}
  %y = torch.aten.einsum %s, %0, %none : !torch.str, !torch.list<vtensor>, !torch.none -> !torch.vtensor<[1],f32>
  dycl.return %y : (!torch.vtensor<[1],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @copies(%x: !torch.vtensor<[?,2,2],f32>)
// CHECK:         %t = torch.aten.triu %m, %one : {{.*}} -> !torch.vtensor<[?,2,2],f32>
// CHECK:         [[TIMES:%.*]] = torch.prim.ListConstruct {{.*}} : (!torch.int, !torch.int, !torch.int)
// CHECK:         %y = torch.aten.repeat %t, [[TIMES]] : {{.*}} -> !torch.vtensor<[?,2,6],f32>
func.func @copies(%x: !torch.vtensor<[1,2,2],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %one = torch.constant.int 1
  %three = torch.constant.int 3
  %zero = torch.constant.int 0
  %m = torch.aten.select.int %x, %zero, %zero : !torch.vtensor<[1,2,2],f32>, !torch.int, !torch.int -> !torch.vtensor<[2,2],f32>
  %t = torch.aten.triu %m, %one : !torch.vtensor<[2,2],f32>, !torch.int -> !torch.vtensor<[2,2],f32>
  %times = torch.prim.ListConstruct %one, %three : (!torch.int, !torch.int) -> !torch.list<int>
  %y = torch.aten.repeat %t, %times : !torch.vtensor<[2,2],f32>, !torch.list<int> -> !torch.vtensor<[2,6],f32>
  dycl.return %y : (!torch.vtensor<[2,6],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @vectors(%x: !torch.vtensor<[?,2],f32>)
// CHECK:         %p = torch.aten.mul.Tensor {{.*}} : !torch.vtensor<[?,2,1],f32>, !torch.vtensor<[?,1,2],f32> -> !torch.vtensor<[?,2,2],f32>
// CHECK:         [[APART:%.*]] = torch.aten.sub.Tensor
// CHECK:         torch.aten.mul.Tensor [[APART]], [[APART]]
// CHECK:         torch.aten.mean.dim {{.*}} -> !torch.vtensor<[?],f32>
func.func @vectors(%x: !torch.vtensor<[1,2],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %zero = torch.constant.int 0
  %one = torch.constant.int 1
  %v = torch.aten.select.int %x, %zero, %zero : !torch.vtensor<[1,2],f32>, !torch.int, !torch.int -> !torch.vtensor<[2],f32>
  %p = torch.aten.outer %v, %v : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32> -> !torch.vtensor<[2,2],f32>
  %q = torch.aten.tanh %p : !torch.vtensor<[2,2],f32> -> !torch.vtensor<[2,2],f32>
  %y = torch.aten.mse_loss %p, %q, %one : !torch.vtensor<[2,2],f32>, !torch.vtensor<[2,2],f32>, !torch.int -> !torch.vtensor<[],f32>
  dycl.return %y : (!torch.vtensor<[],f32>) -> ()
}
