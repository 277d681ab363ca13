// RUN: dycl-opt --dycl-return-lists %s | filecheck %s

// A list of the network's own, and one that is only read: nothing is returned with it.

// CHECK-NOT:  dycl.refilled
// CHECK:      dycl.given = "ys"
// CHECK:      dycl.return %n
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %ys = dycl.list(%x) {dycl.given = "ys"}
  %own = dycl.list(%x)
  %none = dycl.invoke %own "append"(%ys)
  %n = dycl.invoke %ys "index"(%x)
  dycl.return %n
}
