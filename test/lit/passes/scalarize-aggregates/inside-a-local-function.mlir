// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s
// A function that is kept has lists of its own: their items are known inside of it.
// CHECK-LABEL: dycl.local_function "f"(%n : !torch.int) {
// CHECK-NOT:     dycl.subscript
// CHECK:         dycl.local_return %n : (!torch.int) -> ()
func.func @forward(%x: !torch.int) attributes {dycl.entry, dycl.params = ["x"]} {
  dycl.local_function "f"(%n : !torch.int) {
    %zero = dycl.constant 0 : i64 -> !torch.int
    %l = dycl.list()
    %done = dycl.invoke %l "append"(%n) : (!dycl.value, !torch.int) -> !dycl.value
    %first = dycl.subscript %l[%zero] : (!dycl.value, !torch.int) -> !torch.int
    dycl.local_return %first : (!torch.int) -> ()
  }
  %y = dycl.local_call "f"(%x) : (!torch.int) -> !torch.int
  dycl.return %y : (!torch.int) -> ()
}
