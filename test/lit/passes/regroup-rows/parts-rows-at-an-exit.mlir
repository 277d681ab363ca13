// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s

// Rows that leave are kept; the others go on, unless there are none.

// CHECK:       [[ORDER:%[0-9]+]] = torch.aten.scatter.src
// CHECK-NEXT:  [[THEN:%[0-9]+]] = dycl.item {{.*}} -> !torch.int
// CHECK-NEXT:  [[OTHERS:%[0-9]+]] = dycl.binary sub {{%[0-9]+}}, [[THEN]]
// CHECK:       dycl.append
// CHECK:       [[SOME:%[0-9]+]] = dycl.compare gt [[THEN]]
// CHECK:       dycl.if [[SOME]]
// CHECK:         torch.aten.index_select %x
// CHECK:         dycl.append
// CHECK:         dycl.append
// CHECK:       {test = "a row with x > 0"}
// CHECK:       [[NONE:%[0-9]+]] = dycl.compare eq [[OTHERS]]
// CHECK-NEXT:  dycl.if [[NONE]]
// CHECK:         dycl.return
// CHECK:       [[LEFT:%x_[0-9]+]] = torch.aten.index_select %x
// CHECK-NEXT:  torch.aten.neg [[LEFT]] : !torch.vtensor<[?,4],f32>
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %float = torch.constant.float 0.000000e+00
  %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %2 : !torch.bool {
    dycl.return %x : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "x > 0"}
  %y = torch.aten.neg %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}
