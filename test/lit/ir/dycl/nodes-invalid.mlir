// RUN: dycl-opt --split-input-file --verify-diagnostics %s

func.func @f(%k: !torch.int) {
  // expected-error@+1 {{dycl.field needs a node, not !torch.int}}
  %l = dycl.field %k "left" : (!torch.int) -> !torch.int
  dycl.return %l : (!torch.int) -> ()
}

// -----

// expected-error@below {{the data type `m.N` has a field `left` of no constructor}}
func.func @f(%k: !torch.int) attributes {dycl.datatypes = [#dycl.datatype<"m.N", ["m.N"], ["left" !torch.int of 3]>]} {
  dycl.return
}
