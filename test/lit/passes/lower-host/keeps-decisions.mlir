// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// A decision keeps its name and the user's words; a guard keeps its early exit.

// CHECK:         %c = host.read %p : memref<1xi1> -> i1
// CHECK-NEXT:    dycl.if %c : i1 {
// CHECK-NEXT:      dycl.return %x : (memref<2xf32>) -> ()
// CHECK-NEXT:    } {name = "exit_1", test = "p"}
// CHECK-NEXT:    %z = dycl.if %c : i1 -> (memref<2xf32>) {
// CHECK-NEXT:      dycl.yield %x : (memref<2xf32>) -> ()
// CHECK-NEXT:    } else {
// CHECK-NEXT:      dycl.yield %y : (memref<2xf32>) -> ()
// CHECK-NEXT:    } {name = "block3", test = "p > 0.5"}
func.func @forward(%x: !torch.vtensor<[2],f32>, %y: !torch.vtensor<[2],f32>, %p: !torch.vtensor<[1],i1>) attributes {dycl.entry} {
  %c = dycl.item %p : (!torch.vtensor<[1],i1>) -> !torch.bool
  dycl.if %c : !torch.bool {
    dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
  } {name = "exit_1", test = "p"}
  %z = dycl.if %c : !torch.bool -> (!torch.vtensor<[2],f32>) {
    dycl.yield %x : (!torch.vtensor<[2],f32>) -> ()
  } else {
    dycl.yield %y : (!torch.vtensor<[2],f32>) -> ()
  } {name = "block3", test = "p > 0.5"}
  dycl.return %z : (!torch.vtensor<[2],f32>) -> ()
}
