// RUN: dycl-opt --dycl-regroup-rows %s | filecheck %s

// Rows leave a loop one by one; it goes on with those that are left. A counter is one
// number for all of these, and a number of each behind the loop.

// CHECK:      dycl.while carry({{.*}} : !torch.vtensor<[?],si64> = {{.*}}, {{.*}} : !torch.vtensor<[?,4],f32> = %x : {{.*}}, {{.*}} : !torch.int = %n
// CHECK:        dycl.if
// CHECK:        } {test = "a row with not (x > 0)"}
// CHECK:        [[SOME:%[0-9]+]] = dycl.compare gt
// CHECK:        dycl.condition [[SOME]]
// CHECK:      } do(
// CHECK:        dycl.binary add
// CHECK:        dycl.yield
// CHECK:      {test = "x > 0"}
// CHECK:      dycl.concat cat {{.*}} -> !torch.vtensor<[?],si64>
// CHECK:      dycl.concat cat {{.*}} -> !torch.vtensor<[?,4],f32>
// CHECK:      dycl.concat cat {{.*}} -> !torch.vtensor<[?],si64>
func.func @forward(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %n = dycl.constant 0 : i64 -> !torch.int
  %x_1, %n_1 = dycl.while carry(%x_2 : !torch.vtensor<[1,4],f32> = %x : !torch.vtensor<[1,4],f32>, %n_2 : !torch.int = %n : !torch.int) {
    %0 = torch.aten.max %x_2 : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
    %float = torch.constant.float 0.000000e+00
    %1 = torch.aten.gt.Scalar %0, %float : !torch.vtensor<[],f32>, !torch.float -> !torch.vtensor<[],i1>
    %2 = dycl.item %1 : (!torch.vtensor<[],i1>) -> !torch.bool
    dycl.condition %2, %x_2, %n_2 : (!torch.bool, !torch.vtensor<[1,4],f32>, !torch.int) -> ()
  } do(%x_3, %n_3) {
    %int1 = torch.constant.int 1
    %x_4 = torch.aten.sub.Scalar %x_3, %int1, %int1 : !torch.vtensor<[1,4],f32>, !torch.int, !torch.int -> !torch.vtensor<[1,4],f32>
    %one = dycl.constant 1 : i64 -> !torch.int
    %n_4 = dycl.binary add %n_3, %one : (!torch.int, !torch.int) -> !torch.int
    dycl.yield %x_4, %n_4 : (!torch.vtensor<[1,4],f32>, !torch.int) -> ()
  } {test = "x > 0"}
  dycl.return %x_1, %n_1 : (!torch.vtensor<[1,4],f32>, !torch.int) -> ()
}
