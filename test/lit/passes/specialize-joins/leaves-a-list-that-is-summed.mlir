// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// RUN: dycl-opt --dycl-specialize-joins=max-list-paths=8 %s | filecheck %s --check-prefix COPY

// Sums, extrema with a key and slices are answered of a list of a run, too.

// CHECK:     dycl.entry}
// COPY:      dycl.copied
func.func @forward(%x: !torch.vtensor<[2],f32>, %f: !dycl.value, %p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %sum = dycl.constant #dycl.global<"builtins.sum">
  %max = dycl.constant #dycl.global<"builtins.max">
  %none = dycl.constant #dycl.none
  %one = dycl.constant 1 : i64
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
  %i = dycl.slice(%one, %none, %none)
  %r = dycl.subscript %l[%i]
  %s = dycl.call %sum(%r)
  %t = dycl.tuple(%n, %m, %s)
  dycl.return %t
}
