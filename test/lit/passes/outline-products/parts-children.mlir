// RUN: dycl-opt --dycl-outline-products="least-weights=32" %s | filecheck %s
// RUN: dycl-opt --dycl-outline-products="least-weights=33" %s | filecheck %s --check-prefix=FEW

// Products of two children are two kernels, if they read enough of weights: each runs
// once its own child is there. The third needs both, and stays where it is.

// CHECK:       %p = dycl.launch @k_product(%l, %w) :
// CHECK-NEXT:  %q = dycl.launch @k_product_1(%r, %w) :
// CHECK-NEXT:  %y = dycl.launch @k(%p, %q, %w) :

// FEW:         dycl.launch @k(%l, %r, %w)
// FEW-NOT:     product
func.func @forward(%root: !dycl.node<"N">) attributes {dycl.entry, dycl.params = ["root"], dycl.datatypes = [#dycl.datatype<"N", ["N"], ["next" !dycl.node<"N"> of 0]>]} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[4,4],f32>
  dycl.local_function "f"(%node : !dycl.node<"N">) {
    %next = dycl.field %node "next" : (!dycl.node<"N">) -> !dycl.node<"N">
    %l = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> !torch.vtensor<[4],f32>
    %r = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> !torch.vtensor<[4],f32>
    %y = dycl.launch @k(%l, %r, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>) -> !torch.vtensor<[4],f32>
    dycl.local_return %y : (!torch.vtensor<[4],f32>) -> ()
  }
  %h = dycl.local_call "f"(%root) : (!dycl.node<"N">) -> !torch.vtensor<[4],f32>
  dycl.return %h : (!torch.vtensor<[4],f32>) -> ()
}
func.func @k(%l: !torch.vtensor<[4],f32>, %r: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,4],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %p = torch.aten.linear %l, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  %q = torch.aten.linear %r, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  %s = torch.aten.mul.Tensor %p, %q : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %y = torch.aten.linear %s, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
