// RUN: dycl-opt --dycl-split-tuples --verify-diagnostics %s | filecheck %s

// Lengths that differ, and a side that gives something else: the tuple stays whole.

// CHECK:      %t = dycl.if %p -> (!dycl.value) {
// CHECK:      %u = dycl.scope "f" -> (!dycl.value) {
// CHECK:      dycl.return %t, %u
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  // expected-remark @+1 {{a tuple was not split: its length differs}}
  %t = dycl.if %p -> (!dycl.value) {
    %a = dycl.tuple(%x, %x)
    dycl.yield %a
  } else {
    %b = dycl.tuple(%x)
    dycl.yield %b
  }
  // expected-remark @+1 {{a tuple was not split: some paths give another value}}
  %u = dycl.scope "f" -> (!dycl.value) {
    dycl.if %p {
      dycl.leave "f" %x
    }
    %c = dycl.tuple(%x)
    dycl.leave "f" %c
  }
  dycl.return %t, %u
}
