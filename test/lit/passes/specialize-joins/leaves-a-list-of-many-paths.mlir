// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// RUN: dycl-opt --dycl-specialize-joins=max-list-paths=8 %s | filecheck %s --check-prefix COPY

// Three branches give eight lists: `dycl-carry-lists` makes one list of them.

// CHECK:     dycl.entry}
// COPY:      dycl.copied = 6
func.func @forward(%x: !torch.vtensor<[2],f32>, %p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %len = dycl.constant #dycl.global<"builtins.len">
  %l = dycl.list()
  dycl.if %p : !torch.bool {
    %0 = dycl.invoke %l "append"(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
    dycl.yield
  }
  dycl.if %q : !torch.bool {
    %1 = dycl.invoke %l "append"(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
    dycl.yield
  }
  dycl.if %p : !torch.bool {
    %2 = dycl.invoke %l "append"(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
    dycl.yield
  }
  %n = dycl.call %len(%l)
  dycl.return %n
}
