// RUN: dycl-opt --dycl-regroup-rows --verify-diagnostics --split-input-file %s | filecheck %s

// A program with an op that no rule proves to compute each row alone is left to a run
// row by row.

// CHECK-LABEL: func.func @mixes(%x: !torch.vtensor<[1,4],f32>)
func.func @mixes(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  // expected-remark @+1 {{`torch.aten.trace` is not computed for many rows}}
  %y = torch.aten.trace %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  dycl.return %y : (!torch.vtensor<[],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @counts(%x: !torch.vtensor<[1,4],f32>, 
func.func @counts(%x: !torch.vtensor<[1,4],f32>, %w: !torch.vtensor<[4],f32>) attributes {dycl.entry, dycl.params = ["x", "w"], dycl.rows = ["x"]} {
  %none = torch.constant.none
  %true = torch.constant.bool true
  %float = torch.constant.float 1.000000e-01
  // expected-remark @+1 {{a batch norm in training mode mixes rows}}
  %y = torch.aten.batch_norm %x, %w, %w, %w, %w, %true, %float, %float, %true : !torch.vtensor<[1,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @prints(%x: !torch.vtensor<[1,4],f32>)
func.func @prints(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %1 = dycl.item %0 : (!torch.vtensor<[],f32>) -> !torch.float
  // expected-remark @+1 {{it has an effect, which each row would have}}
  dycl.effect "builtins.print"(%1) : (!torch.float) -> ()
  dycl.return %x : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

// CHECK-LABEL: func.func @powers(%x: !torch.vtensor<[1],si64>)
func.func @powers(%x: !torch.vtensor<[1],si64>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = dycl.item %x : (!torch.vtensor<[1],si64>) -> !torch.int
  // expected-remark @+1 {{its number differs from row to row}}
  %1 = dycl.binary pow %0, %0 : (!torch.int, !torch.int) -> !torch.int
  dycl.return %1 : (!torch.int) -> ()
}
