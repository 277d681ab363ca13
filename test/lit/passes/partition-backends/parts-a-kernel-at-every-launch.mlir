// RUN: dycl-opt --dycl-partition-backends %s | filecheck %s
// RUN: dycl-opt --dycl-partition-backends --dycl-partition-backends %s | filecheck %s

// Both arms and the body of a loop launch the parts in order; the second part gives one
// of the results, the first the other one.

// CHECK:         %a, %b = dycl.launch @k_toy(%x)
// CHECK-NEXT:    %c = dycl.launch @k_cpu(%b)
// CHECK:         dycl.while
// CHECK:           dycl.launch @k_toy(
// CHECK-NEXT:      dycl.launch @k_cpu(
// CHECK:         dycl.if %p
// CHECK-NEXT:      dycl.launch @k_toy(
// CHECK-NEXT:      dycl.launch @k_cpu(
// CHECK:         } else {
// CHECK-NEXT:      dycl.launch @k_toy(
// CHECK-NEXT:      dycl.launch @k_cpu(
// CHECK-NOT:   func.func @k(
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %y, %z = dycl.launch @k(%x) : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>)
  %q = dycl.while carry(%n : !torch.vtensor<[2],f32> = %y : !torch.vtensor<[2],f32>) {
    dycl.condition %p, %n : (!torch.bool, !torch.vtensor<[2],f32>) -> ()
  } do(%o) {
    %l, %m = dycl.launch @k(%o) : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>)
    dycl.yield %l : (!torch.vtensor<[2],f32>) -> ()
  }
  %r = dycl.if %p : !torch.bool -> (!torch.vtensor<[2],f32>) {
    %t, %u = dycl.launch @k(%y) : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>)
    dycl.yield %t : (!torch.vtensor<[2],f32>) -> ()
  } else {
    %v, %w = dycl.launch @k(%z) : (!torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>)
    dycl.yield %w : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %r : (!torch.vtensor<[2],f32>) -> ()
}
func.func @k(%x: !torch.vtensor<[2],f32>) -> (!torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>) attributes {dycl.kernel} {
  %a = torch.aten.relu %x {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %b = torch.aten.neg %a {dycl.backend = "toy", dycl.region = 0 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  %c = torch.aten.sinh %b {dycl.backend = "cpu", dycl.region = 1 : i64} : !torch.vtensor<[2],f32> -> !torch.vtensor<[2],f32>
  func.return %a, %c : !torch.vtensor<[2],f32>, !torch.vtensor<[2],f32>
}
