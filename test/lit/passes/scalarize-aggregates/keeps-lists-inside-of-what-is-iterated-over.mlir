// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// The loop gets the list %a itself, and not a copy with what was appended.

// CHECK:      %a = dycl.list()
// CHECK:      %{{.*}} = dycl.invoke %a "append"(%x)
// CHECK:      [[ROWS:%.*]] = dycl.list(%a, %b)
// CHECK:      [[PAIRS:%.*]] = dycl.call %enumerate([[ROWS]])
// CHECK-NEXT: dycl.for %pair in [[PAIRS]] {
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %enumerate = dycl.constant #dycl.global<"builtins.enumerate">
  %a = dycl.list()
  %b = dycl.list()
  %rows = dycl.list(%a)
  %d = dycl.invoke %rows "append"(%b)
  %e = dycl.invoke %a "append"(%x)
  %pairs = dycl.call %enumerate(%rows)
  dycl.for %pair in %pairs {
    %row = dycl.subscript %pair[%one]
    %f = dycl.invoke %row "append"(%x)
  }
  dycl.return %a
}
