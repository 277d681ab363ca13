// RUN: dycl-opt --dycl-split-products="most-rows=2" %s | filecheck %s
// RUN: dycl-opt -p dycl-split-products,dycl-split-products %s | filecheck %s
// RUN: dycl-opt --dycl-split-products="most-rows=0" %s | filecheck %s --check-prefix=OFF

// What is there at one time stays side by side: two results of one call. What another
// call gives, and what a node holds, has a product of its own. The first has the bias.
// Nobody needs what was side by side any more.

// CHECK:       func.func @k(%l: !torch.vtensor<[1,2],f32>, %m: !torch.vtensor<[1,3],f32>, %r: !torch.vtensor<[1,2],f32>, %v: !torch.vtensor<[1,1],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}, %b: !torch.vtensor<[4],f32> {dycl.weight}, %t: !torch.vtensor<[8,4],f32> {dycl.weight})
// CHECK-NEXT:    %0 = torch.constant.int 1
// CHECK-NEXT:    %1 = torch.constant.int 0
// CHECK-NEXT:    %2 = torch.constant.int 5
// CHECK-NEXT:    %3 = torch.constant.int 1
// CHECK-NEXT:    %4 = torch.aten.slice.Tensor %w, %0, %1, %2, %3
// CHECK-NEXT:    %5 = torch.prim.ListConstruct %l, %m
// CHECK-NEXT:    %6 = torch.constant.int 1
// CHECK-NEXT:    %7 = torch.aten.cat %5, %6
// CHECK-NEXT:    %8 = torch.aten.linear %7, %4, %b : !torch.vtensor<[1,5],f32>, !torch.vtensor<[4,5],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[1,4],f32>
// CHECK:         %13 = torch.aten.slice.Tensor %w, %9, %10, %11, %12
// CHECK-NEXT:    %14 = torch.constant.none
// CHECK-NEXT:    %15 = torch.aten.linear %r, %13, %14 : !torch.vtensor<[1,2],f32>, !torch.vtensor<[4,2],f32>, !torch.none -> !torch.vtensor<[1,4],f32>
// CHECK-NEXT:    %16 = torch.constant.int 1
// CHECK-NEXT:    %17 = torch.aten.add.Tensor %8, %15, %16
// CHECK:         %24 = torch.aten.linear %v, %22, %23 : !torch.vtensor<[1,1],f32>, !torch.vtensor<[4,1],f32>, !torch.none -> !torch.vtensor<[1,4],f32>
// CHECK:         %y = torch.aten.add.Tensor %17, %24, %25
// CHECK:         %34 = torch.aten.matmul %33, %30 : !torch.vtensor<[1,5],f32>, !torch.vtensor<[5,4],f32> -> !torch.vtensor<[1,4],f32>
// CHECK:         %40 = torch.aten.matmul %r, %39 : !torch.vtensor<[1,2],f32>, !torch.vtensor<[2,4],f32> -> !torch.vtensor<[1,4],f32>
// CHECK:         %48 = torch.aten.matmul %v, %47 : !torch.vtensor<[1,1],f32>, !torch.vtensor<[1,4],f32> -> !torch.vtensor<[1,4],f32>
// CHECK:         %p = torch.aten.add.Tensor %42, %48, %49
// CHECK-NEXT:    func.return %y, %p

// OFF:         torch.aten.linear %x, %w, %b
// OFF-NOT:     slice
func.func @forward(%root: !dycl.node<"N">) attributes {dycl.entry, dycl.params = ["root"], dycl.datatypes = [#dycl.datatype<"N", ["N"], ["value" !torch.vtensor<[1,1],f32> of 0, "next" !dycl.node<"N"> of 0]>]} {
  %w = dycl.param "fc.weight" : !torch.vtensor<[4,8],f32>
  %b = dycl.param "fc.bias" : !torch.vtensor<[4],f32>
  %t = dycl.param "t" : !torch.vtensor<[8,4],f32>
  dycl.local_function "f"(%node : !dycl.node<"N">) {
    %next = dycl.field %node "next" : (!dycl.node<"N">) -> !dycl.node<"N">
    %l, %m = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> (!torch.vtensor<[1,2],f32>, !torch.vtensor<[1,3],f32>)
    %r, %s = dycl.local_call "f"(%next) : (!dycl.node<"N">) -> (!torch.vtensor<[1,2],f32>, !torch.vtensor<[1,3],f32>)
    %v = dycl.field %node "value" : (!dycl.node<"N">) -> !torch.vtensor<[1,1],f32>
    %y, %p = dycl.launch @k(%l, %m, %r, %v, %w, %b, %t) : (!torch.vtensor<[1,2],f32>, !torch.vtensor<[1,3],f32>, !torch.vtensor<[1,2],f32>, !torch.vtensor<[1,1],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[8,4],f32>) -> (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],f32>)
    dycl.local_return %r, %m : (!torch.vtensor<[1,2],f32>, !torch.vtensor<[1,3],f32>) -> ()
  }
  %h, %i = dycl.local_call "f"(%root) : (!dycl.node<"N">) -> (!torch.vtensor<[1,2],f32>, !torch.vtensor<[1,3],f32>)
  dycl.return %h : (!torch.vtensor<[1,2],f32>) -> ()
}
func.func @k(%l: !torch.vtensor<[1,2],f32>, %m: !torch.vtensor<[1,3],f32>, %r: !torch.vtensor<[1,2],f32>, %v: !torch.vtensor<[1,1],f32>, %w: !torch.vtensor<[4,8],f32> {dycl.weight}, %b: !torch.vtensor<[4],f32> {dycl.weight}, %t: !torch.vtensor<[8,4],f32> {dycl.weight}) -> (!torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],f32>) attributes {dycl.kernel} {
  %items = torch.prim.ListConstruct %l, %m, %r, %v : (!torch.vtensor<[1,2],f32>, !torch.vtensor<[1,3],f32>, !torch.vtensor<[1,2],f32>, !torch.vtensor<[1,1],f32>) -> !torch.list<vtensor>
  %int1 = torch.constant.int 1
  %x = torch.aten.cat %items, %int1 : !torch.list<vtensor>, !torch.int -> !torch.vtensor<[1,8],f32>
  %y = torch.aten.linear %x, %w, %b : !torch.vtensor<[1,8],f32>, !torch.vtensor<[4,8],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[1,4],f32>
  %p = torch.aten.matmul %x, %t : !torch.vtensor<[1,8],f32>, !torch.vtensor<[8,4],f32> -> !torch.vtensor<[1,4],f32>
  func.return %y, %p : !torch.vtensor<[1,4],f32>, !torch.vtensor<[1,4],f32>
}
