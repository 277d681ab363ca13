// RUN: dycl-opt --dycl-widen-vectors --remarks %s 2>&1 | filecheck %s

// CHECK: remark: not widened: its vector is of integers
func.func @k(%n: !torch.vtensor<[8],si64>, %m: !torch.vtensor<[4,8],si64>, %o: !torch.vtensor<[4],si64>) -> !torch.vtensor<[4],si64> attributes {dycl.kernel} {
  %i = torch.aten.linear %n, %m, %o : !torch.vtensor<[8],si64>, !torch.vtensor<[4,8],si64>, !torch.vtensor<[4],si64> -> !torch.vtensor<[4],si64>
  func.return %i : !torch.vtensor<[4],si64>
}
