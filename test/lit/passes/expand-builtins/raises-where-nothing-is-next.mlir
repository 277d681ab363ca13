// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// `next` of an iterator of no items, without a default, raises.

// CHECK:      dycl.if %
// CHECK-NEXT:   dycl.raise "builtins.StopIteration"
// CHECK-NOT:  %next(
func.func @forward() attributes {dycl.entry} {
  %iter = dycl.constant #dycl.global<"builtins.iter">
  %next = dycl.constant #dycl.global<"builtins.next">
  %l = dycl.list()
  %it = dycl.call %iter(%l)
  %a = dycl.call %next(%it)
  dycl.return %a
}
