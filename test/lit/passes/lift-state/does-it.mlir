// RUN: dycl-opt --dycl-lift-state %s | filecheck %s

// What is read before it is set is an argument; each return gives what is left.

// CHECK:      func.func @forward(%x: !torch.vtensor<[1],f32>, %calls: !torch.int) attributes
// CHECK-SAME:   dycl.params = ["x", "calls"]
// CHECK-SAME:   dycl.state = #dycl.dict<["inputs", 1 : i64, "kind", #dycl.none, "variables", [#dycl.tuple<["calls", "keep", #dycl.tuple<[3 : i64]>, #dycl.tuple<[#dycl.leaf<1>]>]>
// CHECK-SAME:   #dycl.tuple<["last", "set", #dycl.tuple<[]>, #dycl.tuple<[]>]>
// CHECK:        %next = dycl.binary add %calls, %one
// CHECK-NEXT:   %[[STATE:.*]] = dycl.tuple(%next, %x)
// CHECK-NEXT:   %[[BOTH:.*]] = dycl.tuple(%x, %[[STATE]])
// CHECK-NEXT:   dycl.return %[[BOTH]]
dycl.object @"" "m.Net" {calls = 3 : i64}
func.func @forward(%x: !torch.vtensor<[1],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %one = dycl.constant 1 : i64
  %n = dycl.getattr %self "calls"
  %next = dycl.binary add %n, %one
  dycl.setattr %self "calls", %next
  dycl.setattr %self "last", %x : (!dycl.value, !torch.vtensor<[1],f32>) -> ()
  dycl.return %x : (!torch.vtensor<[1],f32>) -> ()
}
