// RUN: dycl-opt -p "dycl-lift-state,dycl-lift-state,dycl-lift-state,dycl-lift-state,dycl-lift-state" %s | filecheck %s

// A size in the state is named by how the user reaches the tensor.

// CHECK:      dycl.params = ["x", {{.*}}, "self.kept[1]['a']"]
// CHECK-SAME: dycl.sizes = [#dycl.size<"self.kept[1]['a'].size(0)", 0, "self.kept[1]['a']" 0>]
dycl.object @"" "m.Net" {kept = #dycl.tuple<[0 : i64, #dycl.dict<["a", #dycl.param<"kept", [0 : i64, 2 : i64], f32>]>]>}
func.func @forward(%x: !torch.vtensor<[1,2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %kept = dycl.getattr %self "kept"
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  %key = dycl.constant "a"
  %rest = dycl.subscript %kept[%one]
  %rows = dycl.subscript %rest[%key]
  %both = dycl.list(%rows, %x) : (!dycl.value, !torch.vtensor<[1,2],f32>) -> !dycl.value
  %cat = dycl.constant #dycl.global<"torch.cat">
  %next = dycl.call %cat(%both)
  %left = dycl.dict(%key, %next)
  %new = dycl.tuple(%zero, %left)
  dycl.setattr %self "kept", %new
  dycl.return %x : (!torch.vtensor<[1,2],f32>) -> ()
}
