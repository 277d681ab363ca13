// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// RUN: dycl-opt --dycl-specialize-joins=max-list-paths=8 %s | filecheck %s --check-prefix COPY

// Sums and extrema with a key are answered of a list of a run, too.

// CHECK:     dycl.entry}
// COPY:      dycl.copied
func.func @forward(%x: !torch.vtensor<[2],f32>, %f: !dycl.value, %p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %sum = dycl.constant #dycl.global<"builtins.sum">
  %max = dycl.constant #dycl.global<"builtins.max">
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
  %n = dycl.call %sum(%l)
  %m = dycl.call %max(%l, key = %f)
  %t = dycl.tuple(%n, %m)
  dycl.return %t
}
