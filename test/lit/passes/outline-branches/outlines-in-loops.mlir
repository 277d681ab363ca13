// RUN: dycl-opt --dycl-outline-branches --dycl-check-hcfg %s | filecheck %s

// One kernel for the test, one for each run of the body; the loop has a name.

// CHECK:      dycl.while carry(%a
// CHECK-NEXT:   %s = dycl.launch @forward_loop_1_test(%a)
// CHECK-NEXT:   %c = dycl.item %s
// CHECK-NEXT:   dycl.condition %c, %a
// CHECK-NEXT: } do(%b) {
// CHECK-NEXT:   %r = dycl.launch @forward_loop_1_body(%b)
// CHECK-NEXT:   dycl.if %p : !torch.bool {
// CHECK-NEXT:     dycl.break %r
// CHECK-NEXT:   } {name = "decision 2"}
// CHECK-NEXT:   %t = dycl.launch @forward_loop_1_body_1(%r)
// CHECK-NEXT:   dycl.yield %t
// CHECK-NEXT: } {name = "loop 1"}
func.func @forward(%x: !torch.vtensor<[1],i1>, %p: !torch.bool) attributes {dycl.entry} {
  %y = dycl.while carry(%a : !torch.vtensor<[1],i1> = %x : !torch.vtensor<[1],i1>) {
    %s = torch.aten.logical_not %a : !torch.vtensor<[1],i1> -> !torch.vtensor<[1],i1>
    %c = dycl.item %s : (!torch.vtensor<[1],i1>) -> !torch.bool
    dycl.condition %c, %a : (!torch.bool, !torch.vtensor<[1],i1>) -> ()
  } do(%b) {
    %r = torch.aten.logical_not %b : !torch.vtensor<[1],i1> -> !torch.vtensor<[1],i1>
    dycl.if %p : !torch.bool {
      dycl.break %r : (!torch.vtensor<[1],i1>) -> ()
    }
    %t = torch.aten.logical_not %r : !torch.vtensor<[1],i1> -> !torch.vtensor<[1],i1>
    dycl.yield %t : (!torch.vtensor<[1],i1>) -> ()
  }
  dycl.return %y : (!torch.vtensor<[1],i1>) -> ()
}
