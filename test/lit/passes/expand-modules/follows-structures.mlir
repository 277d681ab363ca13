// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules --dycl-eliminate-dead-code %s | filecheck %s

// Lists of tensors are operands; parts of an op's named result are followed to it.

// CHECK-LABEL: func.func @forward
// CHECK:         %{{.*}} = torch.prim.ListConstruct %x, %x : {{.*}} -> !torch.list<vtensor<[1,3],f32>>
// CHECK:         %c = torch.aten.cat %{{.*}}, %int1 : {{.*}} -> !torch.vtensor<[1,6],f32>
// CHECK:         %{{.*}}, %{{.*}} = torch.aten.max.dim %c, %int1, %false
// CHECK:         dycl.return %{{.*}}, %{{.*}} {structure = #dycl.dict<["v", #dycl.leaf<0>, "i", #dycl.leaf<1>]>}
func.func @forward(%x: !torch.vtensor<[1,3],f32>) attributes {dycl.entry} {
  %cat = dycl.constant #dycl.global<"torch.cat">
  %max = dycl.constant #dycl.global<"torch.max">
  %one = dycl.constant 1 : i64
  %l = dycl.list(%x, %x) : (!torch.vtensor<[1,3],f32>, !torch.vtensor<[1,3],f32>) -> !dycl.value
  %c = dycl.call %cat(%l, dim = %one)
  %m = dycl.call %max(%c, %one)
  %v = dycl.getattr %m "values"
  %i = dycl.subscript %m[%one]
  %kv = dycl.constant "v"
  %ki = dycl.constant "i"
  %d = dycl.dict(%kv, %v, %ki, %i)
  dycl.return %d
}
