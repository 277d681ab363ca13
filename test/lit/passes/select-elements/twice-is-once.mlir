// RUN: dycl-opt --dycl-select-elements %s > %t
// RUN: dycl-opt --dycl-select-elements --dycl-select-elements %s | diff %t -

func.func @forward(%x: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %a = dycl.constant #dycl.tuple<[#dycl.global<"torch.relu">, #dycl.global<"torch.tanh">]>
  %f = dycl.subscript %a[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %y = dycl.call %f(%x)
  dycl.return %y
}
