// RUN: dycl-opt --research-merge-equal-branches --verify-diagnostics %s | filecheck %s

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %z = dycl.if %p
func.func @f(%p: !dycl.value, %x: !dycl.value) -> !dycl.value {
  // expected-remark@+1 {{not merged: the branches differ}}
  %z = dycl.if %p -> (!dycl.value) {
    dycl.yield %x
  } else {
    dycl.yield %p
  }
  dycl.return %z
}
