// RUN: dycl-opt --dycl-split-sequences --verify-diagnostics %s | filecheck %s

// Items of another length; a list as an item that somebody changes; another use.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-3: dycl.sequence(
// CHECK-NOT:     dycl.sequence(
func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %one = dycl.tuple(%x)
  %two = dycl.tuple(%x, %x)
  %a = dycl.sequence(%one, %two)
  %p = dycl.subscript %a[%i] : (!dycl.value, !torch.int) -> !dycl.value
  dycl.effect "builtins.print"(%p)

  %l = dycl.list(%x, %x)
  %b = dycl.sequence(%l)
  // expected-remark @+1 {{a list was not split: it has a use of another kind}}
  %q = dycl.subscript %b[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %n = dycl.invoke %q "append"(%x)

  %c = dycl.sequence(%two)
  // expected-remark @+1 {{a list was not split: it has a use of another kind}}
  %r = dycl.subscript %c[%x]
  dycl.return %r
}
