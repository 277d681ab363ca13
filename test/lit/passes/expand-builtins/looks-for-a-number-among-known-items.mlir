// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// `(n, 8).index(k)` of numbers of the run asks one after the other, in Python;
// `math.prod` multiplies them.

// CHECK:      %[[INDEX:.*]] = dycl.constant #dycl.function<@dycl.prelude.lists.index_of_tuple>
// CHECK-NEXT: %i = dycl.call %[[INDEX]](%t, %eight)
// CHECK:      %[[A:.*]] = dycl.binary mul %{{.*}}, %n
// CHECK-NEXT: %p = dycl.binary mul %[[A]], %eight
// CHECK:      dycl.tuple(%i, %p)
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %eight = dycl.constant 8 : i64
  %t = dycl.tuple(%n, %eight) : (!torch.int, !dycl.value) -> !dycl.value
  %i = dycl.invoke %t "index"(%eight)
  %prod = dycl.constant #dycl.global<"math.prod">
  %p = dycl.call %prod(%t)
  %r = dycl.tuple(%i, %p)
  dycl.return %r
}
