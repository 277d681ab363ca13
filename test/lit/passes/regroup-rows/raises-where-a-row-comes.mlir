// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s

// Rows that raise end the run, if there are any; the others go on.

// CHECK:       [[THEN:%[0-9]+]] = dycl.item {{.*}} -> !torch.int
// CHECK:       [[SOME:%[0-9]+]] = dycl.compare gt [[THEN]]
// CHECK:       dycl.if [[SOME]]
// CHECK:         [[TEXT:%[0-9]+]] = dycl.constant "large" -> !torch.str
// CHECK:         [[ANY:%[0-9]+]] = dycl.compare gt [[THEN]]
// CHECK-NEXT:    dycl.if [[ANY]] : !torch.bool {
// CHECK-NEXT:      dycl.raise "builtins.ValueError"([[TEXT]]) : (!torch.str) -> ()
// CHECK-NEXT:    }
// CHECK:       {test = "a row with x > 0"}
// CHECK:       [[LEFT:%x_[0-9]+]] = torch.aten.index_select %x
// CHECK-NEXT:  torch.aten.neg [[LEFT]] : !torch.vtensor<[?,4],f32>
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %float = torch.constant.float 0.000000e+00
  %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %2 : !torch.bool {
    %3 = dycl.constant "large" -> !torch.str
    dycl.raise "builtins.ValueError"(%3) : (!torch.str) -> ()
  } {test = "x > 0"}
  %y = torch.aten.neg %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}
