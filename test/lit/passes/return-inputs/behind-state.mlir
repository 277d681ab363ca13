// REQUIRES: torch
// RUN: dycl-opt --dycl-return-inputs --dycl-return-inputs %s | filecheck %s

// Inputs follow what `dycl-lift-state` has left there; done twice is done once.

// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %n: !torch.int)
// CHECK-SAME:   ["n", "keep", #dycl.tuple<[3 : i64]>, #dycl.tuple<[#dycl.leaf<1>]>]>, #dycl.tuple<["x", "write contiguous", #dycl.tuple<[]>, #dycl.tuple<[#dycl.leaf<0>]>]>]]>
// CHECK:        %[[A:.*]] = dycl.tuple(%n, %x)
// CHECK-NEXT:   %[[B:.*]] = dycl.tuple(%x, %[[A]])
// CHECK-NEXT:   dycl.return %[[B]]
func.func @forward(%x: !torch.vtensor<[2],f32>, %n: !torch.int) attributes {dycl.entry, dycl.params = ["x", "n"], dycl.state = #dycl.dict<["inputs", 1 : i64, "kind", #dycl.none, "variables", [#dycl.tuple<["n", "keep", #dycl.tuple<[3 : i64]>, #dycl.tuple<[#dycl.leaf<1>]>]>]]>} {
  %v = dycl.invoke %x "contiguous"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %r = dycl.invoke %v "relu_"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %s = dycl.tuple(%n)  : (!torch.int) -> !dycl.value
  %both = dycl.tuple(%x, %s)  : (!torch.vtensor<[2],f32>, !dycl.value) -> !dycl.value
  dycl.return %both
}
