// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// What the next iteration would overwrite is kept; what stays in its place, numbers, and
// what was there before the loop are not. A name without a value is any memory.

// CHECK:      %u = host.alloc : memref<1xf32>
// CHECK-NEXT: %y, %z, %v, %w, %m = dycl.while carry(%a : memref<1xf32> = %x : memref<1xf32>, %d
// CHECK-NEXT:   dycl.condition %p, %a, %d, %e, %f, %k : (i1, memref<1xf32>, memref<1xf32>, memref<1xf32>, memref<1xf32>, i64) -> ()
// CHECK-NEXT: } do(%a_1, %d_1, %e_1, %f_1, %k_1) {
// CHECK-NEXT:   dycl.if %p : i1 {
// CHECK-NEXT:     %a_2 = host.keep %d_1
// CHECK-NEXT:     %d_2 = host.keep %a_1
// CHECK-NEXT:     dycl.continue %a_2, %d_2, %e_1, %x, %k_1
// CHECK-NEXT:   }
// CHECK-NEXT:   dycl.if %p : i1 {
// CHECK-NEXT:     dycl.break %a_1, %d_1, %e_1, %f_1, %k_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = host.alloc
// CHECK-NEXT:   host.launch @relu
// CHECK-NEXT:   %a_3 = host.keep %r
// CHECK-NEXT:   %f_2 = host.keep %r
// CHECK-NEXT:   dycl.yield %a_3, %d_1, %e_1, %f_2, %k_1
// CHECK-NEXT: } {name = "loop", test = "p"}
func.func @forward(%x: !torch.vtensor<[1],f32>, %p: !torch.bool, %n: !torch.int) attributes {dycl.entry} {
  %u = dycl.unbound "u" : () -> !torch.vtensor<[1],f32>
  %y, %z, %v, %w, %m = dycl.while carry(%a : !torch.vtensor<[1],f32> = %x : !torch.vtensor<[1],f32>, %d : !torch.vtensor<[1],f32> = %x : !torch.vtensor<[1],f32>, %e : !torch.vtensor<[1],f32> = %x : !torch.vtensor<[1],f32>, %f : !torch.vtensor<[1],f32> = %u : !torch.vtensor<[1],f32>, %k : !torch.int = %n : !torch.int) {
    dycl.condition %p, %a, %d, %e, %f, %k : (!torch.bool, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.int) -> ()
  } do(%a_1, %d_1, %e_1, %f_1, %k_1) {
    dycl.if %p : !torch.bool {
      dycl.continue %d_1, %a_1, %e_1, %x, %k_1 : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.int) -> ()
    }
    dycl.if %p : !torch.bool {
      dycl.break %a_1, %d_1, %e_1, %f_1, %k_1 : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.int) -> ()
    }
    %r = dycl.launch @relu(%a_1) : (!torch.vtensor<[1],f32>) -> !torch.vtensor<[1],f32>
    dycl.yield %r, %d_1, %e_1, %r, %k_1 : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.int) -> ()
  } {name = "loop", test = "p"}
  dycl.return %y, %z, %v, %w : (!torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>, !torch.vtensor<[1],f32>) -> ()
}
func.func @relu(%x: !torch.vtensor<[1],f32>) -> !torch.vtensor<[1],f32> attributes {dycl.kernel} {
  %y = torch.aten.relu %x : !torch.vtensor<[1],f32> -> !torch.vtensor<[1],f32>
  func.return %y : !torch.vtensor<[1],f32>
}
