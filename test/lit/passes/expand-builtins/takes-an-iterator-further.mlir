// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Each `next` has the item behind the last one; the sides of an `if` know of each other
// nothing, and what stands behind a side that goes on does not know how far it went.

// CHECK-LABEL: @behind_each_other
// CHECK:       dycl.return %x, %y, %z
func.func @behind_each_other(%x: !dycl.value, %y: !dycl.value, %z: !dycl.value) attributes {dycl.entry} {
  %iter = dycl.constant #dycl.global<"builtins.iter">
  %next = dycl.constant #dycl.global<"builtins.next">
  %l = dycl.list(%x, %y)
  %it = dycl.call %iter(%l)
  %a = dycl.call %next(%it)
  %b = dycl.call %next(%it)
  %c = dycl.call %next(%it, %z)
  dycl.return %a, %b, %c
}
