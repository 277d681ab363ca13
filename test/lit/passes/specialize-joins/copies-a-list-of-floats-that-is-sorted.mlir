// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Where a NaN goes is known only where the items are: a list of a run would raise.

// CHECK:     dycl.copied = 6
func.func @forward(%x: !torch.float, %p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %sorted = dycl.constant #dycl.global<"builtins.sorted">
  %l = dycl.list()
  dycl.if %p : !torch.bool {
    %0 = dycl.invoke %l "append"(%x) : (!dycl.value, !torch.float) -> !dycl.value
    dycl.yield
  }
  dycl.if %q : !torch.bool {
    %1 = dycl.invoke %l "append"(%x) : (!dycl.value, !torch.float) -> !dycl.value
    dycl.yield
  }
  dycl.if %p : !torch.bool {
    %2 = dycl.invoke %l "append"(%x) : (!dycl.value, !torch.float) -> !dycl.value
    dycl.yield
  }
  %n = dycl.call %sorted(%l)
  dycl.return %n
}
