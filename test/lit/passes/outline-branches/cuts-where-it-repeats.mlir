// RUN: dycl-opt --dycl-outline-branches=max-ops=5 --dycl-share-kernels %s | filecheck %s

// A program that repeats itself is cut where it does, so that the kernels are equal.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]] = dycl.launch @[[K:.*]](%x) :
// CHECK-NEXT:    %[[B:.*]] = dycl.launch @[[K]](%[[A]]) :
// CHECK-NEXT:    %[[C:.*]] = dycl.launch @[[K]](%[[B]]) :
// CHECK-NEXT:    dycl.return %[[C]]
// CHECK:       attributes {dycl.kernel}
// CHECK-NOT:   attributes {dycl.kernel}
func.func @forward(%x: !torch.vtensor<[8],f32>) attributes {dycl.entry} {
  %0 = torch.aten.exp %x : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %1 = torch.aten.relu %0 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %2 = torch.aten.tanh %1 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %3 = torch.aten.neg %2 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %4 = torch.aten.exp %3 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %5 = torch.aten.relu %4 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %6 = torch.aten.tanh %5 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %7 = torch.aten.neg %6 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %8 = torch.aten.exp %7 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %9 = torch.aten.relu %8 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %10 = torch.aten.tanh %9 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  %11 = torch.aten.neg %10 : !torch.vtensor<[8],f32> -> !torch.vtensor<[8],f32>
  dycl.return %11 : (!torch.vtensor<[8],f32>) -> ()
}
