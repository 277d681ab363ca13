// RUN: dycl-opt --dycl-select-elements --verify-diagnostics %s | filecheck %s

// A key of no known type, a float, a list that something changes, a function returned.

// CHECK-NOT:     dycl.switch
// CHECK-COUNT-4: dycl.subscript
// CHECK-NOT:     dycl.switch
func.func @forward(%x: !dycl.value, %f: !torch.float, %i: !torch.int) attributes {dycl.entry} {
  %table = dycl.constant #dycl.tuple<[5, 7]>
  %a = dycl.subscript %table[%x]
  %b = dycl.subscript %table[%f] : (!dycl.value, !torch.float) -> !dycl.value
  %list = dycl.list(%a, %b)
  %c = dycl.subscript %list[%i] : (!dycl.value, !torch.int) -> !dycl.value
  dycl.invoke %list "append"(%c)
  %functions = dycl.constant #dycl.tuple<[#dycl.global<"torch.relu">, #dycl.global<"torch.abs">]>
  %d = dycl.subscript %functions[%i] : (!dycl.value, !torch.int) -> !dycl.value
  // expected-remark @+1 {{element not selected: this stores or passes on the element, which no single value represents}}
  %r = dycl.tuple(%c, %d)
  dycl.return %r
}
