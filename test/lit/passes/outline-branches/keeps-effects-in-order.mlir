// REQUIRES: torch
// RUN: dycl-opt --dycl-outline-branches %s | filecheck %s

// A kernel stays whole around an effect. An effect, and a division that may raise, wait
// for the effect before; the number of the first kernel is read in time.

// CHECK:      %a, %m, %y = dycl.launch @forward_head(%x)
// CHECK-NEXT: %n = dycl.item %m
// CHECK-NEXT: %b = dycl.launch @forward_tail(%a, %n)
// CHECK-NEXT: %k = dycl.item %b
// CHECK-NEXT: dycl.effect "builtins.print"(%k)
// CHECK-NEXT: dycl.effect "builtins.print"(%n)
// CHECK-NEXT: %d = dycl.binary floordiv %n, %n
// CHECK-NEXT: dycl.effect "builtins.print"(%d)
// CHECK-NEXT: dycl.return %y
func.func @forward(%x: !torch.vtensor<[1],si64>) attributes {dycl.entry} {
  %a = torch.aten.neg %x : !torch.vtensor<[1],si64> -> !torch.vtensor<[1],si64>
  %m = torch.aten.abs %x : !torch.vtensor<[1],si64> -> !torch.vtensor<[1],si64>
  %n = dycl.item %m : (!torch.vtensor<[1],si64>) -> !torch.int
  %b = torch.aten.mul.Scalar %a, %n : !torch.vtensor<[1],si64>, !torch.int -> !torch.vtensor<[1],si64>
  %k = dycl.item %b : (!torch.vtensor<[1],si64>) -> !torch.int
  dycl.effect "builtins.print"(%k) : (!torch.int) -> ()
  dycl.effect "builtins.print"(%n) : (!torch.int) -> ()
  %d = dycl.binary floordiv %n, %n : (!torch.int, !torch.int) -> !torch.int
  dycl.effect "builtins.print"(%d) : (!torch.int) -> ()
  %y = torch.aten.neg %a : !torch.vtensor<[1],si64> -> !torch.vtensor<[1],si64>
  dycl.return %y : (!torch.vtensor<[1],si64>) -> ()
}
