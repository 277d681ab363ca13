// REQUIRES: torch
// RUN: dycl-opt --dycl-return-inputs %s | filecheck %s

// Each return gives, behind the output, the inputs that any path writes to; behind a loop
// that carries one, by the name that it has there.

// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %w: !torch.vtensor<[2],f32>, %p: !torch.bool)
// CHECK-SAME:   dycl.state = #dycl.dict<["inputs", 3 : i64, "kind", #dycl.none, "variables", [#dycl.tuple<["x", "write", #dycl.tuple<[]>, #dycl.tuple<[#dycl.leaf<0>]>]>]]>
// CHECK:        dycl.if %p
// CHECK-NEXT:     %[[A:.*]] = dycl.tuple(%x)
// CHECK-NEXT:     %[[B:.*]] = dycl.tuple(%w, %[[A]])
// CHECK-NEXT:     dycl.return %[[B]]
// CHECK:        %[[LOOP:.*]] = dycl.while
// CHECK:        %[[C:.*]] = dycl.tuple(%[[LOOP]])
// CHECK-NEXT:   %[[D:.*]] = dycl.tuple(%w, %[[C]])
// CHECK-NEXT:   dycl.return %[[D]]
func.func @forward(%x: !torch.vtensor<[2],f32>, %w: !torch.vtensor<[2],f32>, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "w", "p"]} {
  dycl.if %p : !torch.bool {
    dycl.return %w : (!torch.vtensor<[2],f32>) -> ()
  }
  %r = dycl.while carry(%c : !torch.vtensor<[2],f32> = %x : !torch.vtensor<[2],f32>) {
    dycl.condition %p, %c : (!torch.bool, !torch.vtensor<[2],f32>) -> ()
  } do(%b) {
    %n = dycl.invoke %b "relu_"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
    dycl.yield %n : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %w : (!torch.vtensor<[2],f32>) -> ()
}
