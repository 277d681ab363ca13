// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s

// A function that is kept gives back the list to which it adds, and lists that it makes
// are lists of a run.

// CHECK:      dycl.local_function "walk"(%n : !torch.int, %out) {
// CHECK:        %out_1 = dycl.append %out, %n
// CHECK:        %again, %out_2 = dycl.local_call "walk"(%n, %out_1)
// CHECK:        dycl.local_return %none, %out_2
// CHECK:      dycl.local_function "listed"(%n_1 : !torch.int) {
// CHECK:        %l = dycl.sequence(%n_1)
// CHECK:        dycl.local_return %l
// CHECK:      %out_3 = dycl.sequence()
// CHECK:      %r, %out_4 = dycl.local_call "walk"(%x, %out_3)
// CHECK:      %m = dycl.local_call "listed"(%x)
// CHECK:      %m_1 = dycl.append %m, %x
// CHECK:      dycl.return %out_4, %m_1
func.func @forward(%x: !torch.int) attributes {dycl.entry, dycl.params = ["x"]} {
  dycl.local_function "walk"(%n : !torch.int, %out) {
    %none = dycl.constant unit -> !torch.none
    %a = dycl.invoke %out "append"(%n) : (!dycl.value, !torch.int) -> !dycl.value
    %again = dycl.local_call "walk"(%n, %out) : (!torch.int, !dycl.value) -> !torch.none
    dycl.local_return %none : (!torch.none) -> ()
  } {lists = array<i64: 1>}
  dycl.local_function "listed"(%n : !torch.int) {
    %l = dycl.list(%n) : (!torch.int) -> !dycl.value
    dycl.local_return %l
  }
  %out = dycl.list()
  %r = dycl.local_call "walk"(%x, %out) : (!torch.int, !dycl.value) -> !torch.none
  %m = dycl.local_call "listed"(%x) : (!torch.int) -> !dycl.value
  %b = dycl.invoke %m "append"(%x) : (!dycl.value, !torch.int) -> !dycl.value
  dycl.return %out, %m
}
