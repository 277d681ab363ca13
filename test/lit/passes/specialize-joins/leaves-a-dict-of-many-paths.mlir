// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// RUN: dycl-opt --dycl-specialize-joins=max-list-paths=8 %s | filecheck %s --check-prefix COPY

// Three branches set entries, so there are eight dicts: `dycl-pair-dicts` makes two
// lists of them, since which key it is depends on the data.

// CHECK:     dycl.entry}
// COPY:      dycl.copied = 6
func.func @forward(%k: !torch.int, %p: !torch.bool, %q: !torch.bool) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %len = dycl.constant #dycl.global<"builtins.len">
  %d = dycl.dict()
  dycl.if %p : !torch.bool {
    dycl.store_subscript %d[%k], %one : (!dycl.value, !torch.int, !dycl.value) -> ()
    dycl.yield
  }
  dycl.if %q : !torch.bool {
    dycl.store_subscript %d[%k], %one : (!dycl.value, !torch.int, !dycl.value) -> ()
    dycl.yield
  }
  dycl.if %p : !torch.bool {
    dycl.store_subscript %d[%k], %one : (!dycl.value, !torch.int, !dycl.value) -> ()
    dycl.yield
  }
  %n = dycl.call %len(%d)
  dycl.return %n
}
