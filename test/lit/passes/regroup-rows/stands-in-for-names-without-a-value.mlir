// RUN: dycl-opt --dycl-regroup-rows --dycl-eliminate-dead-code --verify-diagnostics --split-input-file %s | filecheck %s

// Where rows that have a value of `y` meet others, these bring zeros, which no row
// reads: the same predicate decides once more.

// CHECK-LABEL: func.func @twice(%x: !torch.vtensor<[?,4],f32>)
// CHECK-NOT:     dycl.unbound
// CHECK:         torch.aten.zeros {{.*}} -> !torch.vtensor<[1,4],f32>
// CHECK-NOT:     dycl.unbound
// CHECK:         dycl.return
func.func @twice(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %m = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %p = dycl.item %m : (!torch.vtensor<[],f32>) -> !torch.bool
  %y = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,4],f32>) {
    %a = torch.aten.tanh %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
    dycl.yield %a : (!torch.vtensor<[1,4],f32>) -> ()
  } else {
    %none = dycl.unbound "y" : () -> !torch.vtensor<[1,4],f32>
    dycl.yield %none : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "p"}
  %z = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,4],f32>) {
    %b = torch.aten.relu %y : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
    dycl.yield %b : (!torch.vtensor<[1,4],f32>) -> ()
  } else {
    dycl.yield %x : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "p"}
  dycl.return %z {structure = #dycl.leaf<0>} : (!torch.vtensor<[1,4],f32>) -> ()
}

// -----

func.func @sometimes(%x: !torch.vtensor<[1,4],f32>) attributes {dycl.entry, dycl.params = ["x"], dycl.rows = ["x"]} {
  %m = torch.aten.max %x : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[],f32>
  %p = dycl.item %m : (!torch.vtensor<[],f32>) -> !torch.bool
  %y = dycl.if %p : !torch.bool -> (!torch.vtensor<[1,4],f32>) {
    dycl.yield %x : (!torch.vtensor<[1,4],f32>) -> ()
  } else {
    %none = dycl.unbound "y" : () -> !torch.vtensor<[1,4],f32>
    dycl.yield %none : (!torch.vtensor<[1,4],f32>) -> ()
  } {test = "p"}
  // expected-error@+1 {{`y` is read here, but may have no value}}
  %z = torch.aten.relu %y : !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
  dycl.return %z {structure = #dycl.leaf<0>} : (!torch.vtensor<[1,4],f32>) -> ()
}
