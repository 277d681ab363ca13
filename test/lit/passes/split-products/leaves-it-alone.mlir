// RUN: dycl-opt --dycl-split-products="least-weights=33" %s | filecheck %s
// RUN: dycl-opt --dycl-split-products="least-weights=33" --remarks %s 2>&1 | filecheck %s --check-prefix=REMARK

// As they are stay products of few weights, of a kernel with several launches, of what
// one call gives, of float16, and those of a kernel that is launched once.

// CHECK-NOT:   torch.aten.slice.Tensor

// REMARK:      remark: not split: its weights stay in a near cache
// REMARK:      remark: not split: 2 launches share its kernel
// REMARK-NOT:  not split
func.func @forward(%root: !dycl.node<"N">) attributes {dycl.entry, dycl.params = ["root"], dycl.datatypes = [#dycl.datatype<"N", ["N"], ["next" !dycl.node<"N"> of 0]>]} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[4,8],f32>
  %h16 = dycl.param "half.weight" : !torch.vtensor<[4,8],f16>
  dycl.local_function "f"(%node : !dycl.node<"N">) {
    %next = dycl.field %node "next" : (!dycl.node<"N">) -> !dycl.node<"N">
    %l, %m = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f16>)
    %r, %s = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f16>)
    %few = dycl.launch @few(%l, %r, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4],f32>
    %a = dycl.launch @shared(%l, %r, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4],f32>
    %b = dycl.launch @shared(%r, %a, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4],f32>
    %c = dycl.launch @together(%l, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4],f32>
    %d = dycl.launch @half(%m, %s, %h16) : (!torch.vtensor<[4],f16>, !torch.vtensor<[4],f16>, !torch.vtensor<[4,8],f16>) -> !torch.vtensor<[4],f16>
    dycl.local_return %b, %d : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f16>) -> ()
  }
  %h, %i = dycl.local_call "f"(%root) : (!dycl.node<"N">) -> (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f16>)
  %out = dycl.launch @outside(%h, %h, %w) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,8],f32>) -> !torch.vtensor<[4],f32>
  dycl.return %out : (!torch.vtensor<[4],f32>) -> ()
}
func.func @few(%a: !torch.vtensor<[4],f32>, %b: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %items = torch.prim.ListConstruct %a, %b : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.list<vtensor<[4],f32>>
  %int0 = torch.constant.int 0
  %none = torch.constant.none
  %x = torch.aten.cat %items, %int0 : !torch.list<vtensor<[4],f32>>, !torch.int -> !torch.vtensor<[8],f32>
  %y = torch.aten.linear %x, %w, %none : !torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>, !torch.none -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @shared(%a: !torch.vtensor<[4],f32>, %b: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %items = torch.prim.ListConstruct %a, %b : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.list<vtensor<[4],f32>>
  %int0 = torch.constant.int 0
  %none = torch.constant.none
  %x = torch.aten.cat %items, %int0 : !torch.list<vtensor<[4],f32>>, !torch.int -> !torch.vtensor<[8],f32>
  %y = torch.aten.linear %x, %w, %none : !torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>, !torch.none -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @together(%a: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %items = torch.prim.ListConstruct %a, %a : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.list<vtensor<[4],f32>>
  %int0 = torch.constant.int 0
  %none = torch.constant.none
  %x = torch.aten.cat %items, %int0 : !torch.list<vtensor<[4],f32>>, !torch.int -> !torch.vtensor<[8],f32>
  %y = torch.aten.linear %x, %w, %none : !torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>, !torch.none -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
func.func @half(%a: !torch.vtensor<[4],f16>, %b: !torch.vtensor<[4],f16>, %w: !torch.vtensor<[4,8],f16> {dycl.weight}) -> !torch.vtensor<[4],f16> attributes {dycl.kernel} {
  %items = torch.prim.ListConstruct %a, %b : (!torch.vtensor<[4],f16>, !torch.vtensor<[4],f16>) -> !torch.list<vtensor<[4],f16>>
  %int0 = torch.constant.int 0
  %none = torch.constant.none
  %x = torch.aten.cat %items, %int0 : !torch.list<vtensor<[4],f16>>, !torch.int -> !torch.vtensor<[8],f16>
  %y = torch.aten.linear %x, %w, %none : !torch.vtensor<[8],f16>, !torch.vtensor<[4,8],f16>, !torch.none -> !torch.vtensor<[4],f16>
  func.return %y : !torch.vtensor<[4],f16>
}
func.func @outside(%a: !torch.vtensor<[4],f32>, %b: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %items = torch.prim.ListConstruct %a, %b : (!torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.list<vtensor<[4],f32>>
  %int0 = torch.constant.int 0
  %none = torch.constant.none
  %x = torch.aten.cat %items, %int0 : !torch.list<vtensor<[4],f32>>, !torch.int -> !torch.vtensor<[8],f32>
  %y = torch.aten.linear %x, %w, %none : !torch.vtensor<[8],f32>, !torch.vtensor<[4,8],f32>, !torch.none -> !torch.vtensor<[4],f32>
  func.return %y : !torch.vtensor<[4],f32>
}
