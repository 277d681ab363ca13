// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s
// RUN: dycl-opt --dycl-specialize-joins %s > %t.once
// RUN: dycl-opt --dycl-specialize-joins --dycl-specialize-joins %s | diff %t.once -

// A second run finds nothing to do.

// CHECK-COUNT-2: dycl.return
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %none
  } else {
    dycl.yield %f
  }
  dycl.return %h
}
