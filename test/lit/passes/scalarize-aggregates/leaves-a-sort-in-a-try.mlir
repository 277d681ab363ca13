// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// A handler may find the list sorted or not, so the sort stays; what it was written as
// is of no use then, and would be there once more after each run.

// CHECK:      dycl.try {
// CHECK-NEXT:   dycl.invoke %l "sort"(key = %k)
// CHECK-NEXT:   dycl.call %f(%x)
// CHECK-NEXT: } except "ValueError" {
// CHECK-NEXT:   dycl.return %l
func.func @forward(%x: !dycl.value, %k: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list(%x, %k)
  dycl.try {
    dycl.invoke %l "sort"(key = %k)
    dycl.call %f(%x)
  } except "ValueError" {
    dycl.return %l
  }
  dycl.return %x
}
