// RUN: dycl-opt --dycl-specialize-sizes %s | filecheck %s

// Of two sizes, each choice of both has a version; a size without one stays open. All
// inputs that have a size are of it, and returns inside of ifs are those of the version.

// CHECK:      %[[BOTH:.*]] = dycl.binary and
// CHECK-NEXT: dycl.if %[[BOTH]] : !torch.bool {
// CHECK-NEXT:   %[[X:.*]] = dycl.refine %x : {{.*}} -> !torch.vtensor<[?,2],f32>
// CHECK-NEXT:   %[[Y:.*]] = dycl.refine %y : {{.*}} -> !torch.vtensor<[2,3],f32>
// CHECK-NEXT:   dycl.if %p : !torch.bool {
// CHECK-NEXT:     dycl.return %[[X]]
// CHECK:        dycl.return %[[Y]]
// CHECK-NEXT: } {test = "n == 2 and m == 3"}
// CHECK:      } {test = "n == 2 and m == 4"}
// CHECK-NEXT: dycl.if %p
// CHECK-NEXT:   dycl.return %x
// CHECK:      dycl.return %y
func.func @forward(%x: !torch.vtensor<[?,?],f32>, %y: !torch.vtensor<[?,?],f32>, %p: !torch.bool) attributes {dycl.entry, dycl.params = ["x", "y", "p"], dycl.sizes = [#dycl.size<"b", 0, "x" 0>, #dycl.size<"n", 0 for 2, "x" 1, "y" 0>, #dycl.size<"m", 0 to 9 for 3 4, "y" 1>]} {
  dycl.if %p : !torch.bool {
    dycl.return %x : (!torch.vtensor<[?,?],f32>) -> ()
  }
  dycl.return %y : (!torch.vtensor<[?,?],f32>) -> ()
}
