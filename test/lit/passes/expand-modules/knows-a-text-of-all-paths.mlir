// RUN: dycl-opt --dycl-expand-modules %s | filecheck %s

// Both sides give one text, by a constant of each: what is asked of it is known.

// CHECK:      %s = dycl.if %p
// CHECK:      %t = dycl.constant "A" -> !torch.str
// CHECK-NEXT: %n = dycl.constant 1 : i64 -> !torch.int
// CHECK-NEXT: dycl.return %t, %n
// CHECK-NOT:  dycl.invoke
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %s = dycl.if %p : !torch.bool -> (!torch.str) {
    %a = dycl.constant "a" -> !torch.str
    dycl.yield %a : (!torch.str) -> ()
  } else {
    %b = dycl.constant "a" -> !torch.str
    dycl.yield %b : (!torch.str) -> ()
  }
  %t = dycl.invoke %s "upper"() : (!torch.str) -> !torch.str
  %n = dycl.invoke %s "__len__"() : (!torch.str) -> !torch.int
  dycl.return %t, %n : (!torch.str, !torch.int) -> ()
}
