// RUN: dycl-opt --dycl-lower-slices --verify-diagnostics %s | filecheck %s

// With another use the slice is a sequence; what is no list stays.

// CHECK-LABEL: func.func @forward
// CHECK:         [[S:%.*]] = dycl.sequence(%k, %n)
// CHECK:         [[T:%.*]] = dycl.take [[S]], {{%.*}}, %n
// CHECK:         dycl.effect "builtins.print"([[T]])
// CHECK:         [[U:%.*]] = dycl.subscript
// CHECK:         dycl.return [[U]]
func.func @forward(%k: !torch.int, %n: !torch.int) attributes {dycl.entry} {
  %l = dycl.list(%k, %n) : (!torch.int, !torch.int) -> !dycl.value
  %none = dycl.constant #dycl.none
  %s = dycl.slice(%none, %n, %none) : (!dycl.value, !torch.int, !dycl.value) -> !dycl.value
  %t = dycl.subscript %l[%s]
  dycl.effect "builtins.print"(%t)
  %m = dycl.tuple(%k, %n) : (!torch.int, !torch.int) -> !dycl.value
  // expected-remark @+1 {{a slice by ints of the run was left: it is not of a list}}
  %u = dycl.subscript %m[%s]
  dycl.return %u
}
