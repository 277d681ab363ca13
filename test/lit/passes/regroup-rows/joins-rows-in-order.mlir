// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s

// After a decision whose sides both lead on, rows are in their order again. If all rows
// went one way, nothing is copied.

// CHECK:      {test = "a row with x > 0"}
// CHECK:      {test = "a row with not (x > 0)"}
// CHECK:      %y = dycl.if {{%[0-9]+}} : !torch.bool -> (!torch.vtensor<[?,4],f32>)
// CHECK-NEXT:   dycl.yield
// CHECK:      } else {
// CHECK:        dycl.if {{%[0-9]+}} : !torch.bool -> (!torch.vtensor<[?,4],f32>)
// CHECK:        } else {
// CHECK:          torch.aten.cat
// CHECK:          torch.aten.index_select
// CHECK:        } {test = "no row"}
// CHECK:      } {test = "all rows"}
// CHECK:      dycl.return {{%[0-9]+}}, %y
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %0 = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %float = torch.constant.float 0.000000e+00
  %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
  %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
  %y = dycl.if %2 : !torch.bool -> (!torch.vtensor<[1,4],f32>) {
    dycl.yield %x : (!torch.vtensor<[1,4],f32>) -> ()
  } else {
    %z = torch.aten.neg %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
    dycl.yield %z : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "x > 0"}
  dycl.return %y : (!torch.vtensor<[1,4],f32>) -> ()
}
