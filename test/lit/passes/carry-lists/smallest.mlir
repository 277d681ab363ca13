// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s

// An empty function, and a module without an entry.

// CHECK: func.func @forward() attributes {dycl.entry} {
// CHECK-NEXT: dycl.return
func.func @forward() attributes {dycl.entry} {
  dycl.return
}
