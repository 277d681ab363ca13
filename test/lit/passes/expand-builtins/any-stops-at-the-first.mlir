// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s
// RUN: dycl-opt --dycl-expand-builtins --dycl-expand-builtins %s | filecheck %s

// The truth of a later item is asked for only if the earlier ones are false.

// CHECK:      %[[c:.*]] = dycl.to_bool %a
// CHECK-NEXT: %r = dycl.if %[[c]] -> (!dycl.value) {
// CHECK-NEXT:   %[[t:.*]] = dycl.constant true
// CHECK-NEXT:   dycl.yield %[[t]]
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[d:.*]] = dycl.to_bool %b
// CHECK-NEXT:   dycl.yield %[[d]]
// CHECK:      dycl.return %r
func.func @forward(%a: !dycl.value, %b: !dycl.value) attributes {dycl.entry} {
  %any = dycl.constant #dycl.global<"builtins.any">
  %l = dycl.list(%a, %b)
  %r = dycl.call %any(%l)
  dycl.return %r
}
