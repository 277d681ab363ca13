// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// Inside a branch, `max` by a key: the first of the greatest.

// CHECK:      dycl.if %c -> (!dycl.value) {
// CHECK:        %[[k:.*]] = dycl.call %f(%a)
// CHECK-NEXT:   %[[l:.*]] = dycl.call %f(%b)
// CHECK-NEXT:   %[[t:.*]] = dycl.compare gt %[[l]], %[[k]]
// CHECK-NEXT:   %[[u:.*]] = dycl.to_bool %[[t]]
// CHECK-NEXT:   dycl.if %[[u]] -> (!dycl.value, !dycl.value) {
// CHECK-NEXT:     dycl.yield %b, %[[l]]
func.func @forward(%c: !dycl.value, %f: !dycl.value, %a: !dycl.value, %b: !dycl.value) attributes {dycl.entry} {
  %max = dycl.constant #dycl.global<"builtins.max">
  %r = dycl.if %c -> (!dycl.value) {
    %m = dycl.call %max(%a, %b, key = %f)
    dycl.yield %m
  } else {
    dycl.yield %a
  }
  dycl.return %r
}
