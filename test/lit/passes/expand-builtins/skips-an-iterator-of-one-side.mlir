// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Behind the `if` nobody knows how far the iterator is; on the side that returns, it is
// known to begin.

// CHECK:      %it = dycl.call %iter(%l)
// CHECK:      dycl.if %p
// CHECK-NEXT:   dycl.return %x
// CHECK:      dycl.if %q
// CHECK-NEXT:   dycl.call %next(%it)
// CHECK:      %b = dycl.call %next(%it)
func.func @forward(%x: !dycl.value, %y: !dycl.value, %p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %iter = dycl.constant #dycl.global<"builtins.iter">
  %next = dycl.constant #dycl.global<"builtins.next">
  %l = dycl.list(%x, %y)
  %it = dycl.call %iter(%l)
  dycl.if %p : !torch.bool {
    %a = dycl.call %next(%it)
    dycl.return %a
  } {test = "p"}
  dycl.if %q : !torch.bool {
    %a_1 = dycl.call %next(%it)
    dycl.yield
  } {test = "q"}
  %b = dycl.call %next(%it)
  dycl.return %b
}
