// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// `all([])` is true.

// CHECK: dycl.constant true
// CHECK-NOT: dycl.call
func.func @forward() attributes {dycl.entry} {
  %all = dycl.constant #dycl.global<"builtins.all">
  %l = dycl.list()
  %r = dycl.call %all(%l)
  dycl.return %r
}
