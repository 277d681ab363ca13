// RUN: dycl-opt --dycl-outline-products="most-rows=2" %s | filecheck %s
// RUN: dycl-opt -p dycl-outline-products,dycl-outline-products %s | filecheck %s
// RUN: dycl-opt --dycl-outline-products="most-rows=0" %s | filecheck %s --check-prefix=OFF
// RUN: dycl-opt --dycl-outline-products="most-rows=2" --remarks %s 2>&1 | filecheck %s --check-prefix=REMARK

// What a node holds is there before what is made of its children is, and that before
// their sum: a product of the one is launched by itself, with what it is made of. The
// last product stays where it is.

// CHECK:       %v = dycl.field %node "value"
// CHECK-NEXT:  %b = dycl.launch @k_product(%v, %w) :
// CHECK-NEXT:  %c_1 = dycl.launch @k_product_1(%h, %w) :
// CHECK-NEXT:  %f = dycl.launch @k(%sum, %w, %b, %c_1) :
// CHECK-NEXT:  %s1 = dycl.launch @shared(%v, %w, %h)
// CHECK-NEXT:  %s2 = dycl.launch @shared(%v, %w, %s1)

// CHECK:       func.func @k_product(%v: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,4],f32> {dycl.weight}) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
// CHECK-NEXT:    %a = torch.aten.relu %v
// CHECK-NEXT:    %none = torch.constant.none
// CHECK-NEXT:    %b = torch.aten.linear %a, %w, %none
// CHECK-NEXT:    func.return %b
// CHECK:       func.func @k_product_1(%h: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,4],f32> {dycl.weight})
// CHECK:       func.func @k(%sum: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,4],f32> {dycl.weight}, %b: !torch.vtensor<[4],f32>, %c: !torch.vtensor<[4],f32>)
// CHECK-NEXT:    %none = torch.constant.none
// CHECK-NEXT:    %d = torch.aten.linear %sum, %w, %none
// CHECK-NEXT:    %e = torch.aten.mul.Tensor %b, %c
// CHECK-NEXT:    %f = torch.aten.mul.Tensor %e, %d
// CHECK-NEXT:    func.return %f

// OFF:         %y = dycl.launch @k(%v, %w, %h, %sum)
// OFF-NOT:     product

// REMARK:      remark: not outlined: 2 launches share its kernel
func.func @forward(%root: !dycl.node<"N">) attributes {dycl.entry, dycl.params = ["root"], dycl.datatypes = [#dycl.datatype<"N", ["N"], ["value" !torch.vtensor<[4],f32> of 0, "next" !dycl.node<"N"> of 0]>]} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[4,4],f32>
  dycl.local_function "f"(%node : !dycl.node<"N">) {
    %next = dycl.field %node "next" : (!dycl.node<"N">) -> !dycl.node<"N">
    %h = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> !torch.vtensor<[4],f32>
    %zero = dycl.constant 0 : i64 -> !torch.int
    %n, %sum = dycl.while carry(%i : !torch.int = %zero : !torch.int, %t : !torch.vtensor<[4],f32> = %h : !torch.vtensor<[4],f32>) {
      %c = dycl.compare lt %i, %zero : (!torch.int, !torch.int) -> !torch.bool
      dycl.condition %c, %i, %t : (!torch.bool, !torch.int, !torch.vtensor<[4],f32>) -> ()
    } do(%i1, %t1) {
      dycl.yield %i1, %t1 : (!torch.int, !torch.vtensor<[4],f32>) -> ()
    }
    %v = dycl.field %node "value" : (!dycl.node<"N">) -> !torch.vtensor<[4],f32>
    %y = dycl.launch @k(%v, %w, %h, %sum) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    %s1 = dycl.launch @shared(%v, %w, %h) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    %s2 = dycl.launch @shared(%v, %w, %s1) : (!torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32>
    dycl.local_return %s2 : (!torch.vtensor<[4],f32>) -> ()
  }
  %r = dycl.local_call "f"(%root) : (!dycl.node<"N">) -> !torch.vtensor<[4],f32>
  dycl.return %r : (!torch.vtensor<[4],f32>) -> ()
}
func.func @k(%v: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,4],f32> {dycl.weight}, %h: !torch.vtensor<[4],f32>, %sum: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %a = torch.aten.relu %v : !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %b = torch.aten.linear %a, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  %c = torch.aten.linear %h, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  %d = torch.aten.linear %sum, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  %e = torch.aten.mul.Tensor %b, %c : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  %f = torch.aten.mul.Tensor %e, %d : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %f : !torch.vtensor<[4],f32>
}
func.func @shared(%v: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,4],f32> {dycl.weight}, %h: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> attributes {dycl.kernel} {
  %none = torch.constant.none
  %a = torch.aten.linear %v, %w, %none : !torch.vtensor<[4],f32>, !torch.vtensor<[4,4],f32>, !torch.none -> !torch.vtensor<[4],f32>
  %b = torch.aten.mul.Tensor %a, %h : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  func.return %b : !torch.vtensor<[4],f32>
}
