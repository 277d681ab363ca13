// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// A text that is no number surely raises a ValueError: the second handler runs.

// CHECK:      func.func @forward
// CHECK-NEXT:   %b = dycl.constant 3 : i64
// CHECK-NEXT:   dycl.return %b
func.func @forward() attributes {dycl.entry} {
  %r = dycl.try one_statement -> (!dycl.value) {
    %int = dycl.constant #dycl.global<"builtins.int">
    %k = dycl.constant "many"
    %v = dycl.call %int(%k)
    dycl.yield %v
  } except "AttributeError" {
    %a = dycl.constant 2 : i64
    dycl.yield %a
  } except "KeyError ValueError" {
    %b = dycl.constant 3 : i64
    dycl.yield %b
  }
  dycl.return %r
}
