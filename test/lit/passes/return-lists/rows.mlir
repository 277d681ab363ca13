// RUN: dycl-opt --dycl-return-lists %s | filecheck %s

// Rows have one list in common, to which each would append.

// CHECK-NOT: dycl.refilled
// CHECK:     %none = dycl.unsupported "DY206" "this changes a list that is an input of the network, which all rows share" "change a copy of it: `xs = list(xs)`"
func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.rows = ["x"]} {
  %xs = dycl.list(%x) {dycl.given = "xs"}
  %none = dycl.invoke %xs "append"(%x)
  dycl.return %none
}
