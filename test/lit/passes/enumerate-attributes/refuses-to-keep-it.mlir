// RUN: dycl-opt %s --dycl-enumerate-attributes | filecheck %s

// What the model holds is there in the next call; an object that was made is not, if it
// is another one each time.

// CHECK:     dycl.unsupported "DY206" "an object that is made while the network runs is kept in the model"
// CHECK-NOT: dycl.setattr {{.*}} "last"
dycl.object @"" "m.Net" {last = #dycl.none}
dycl.object @"made Cell" "m.Cell" {__made__ = true}
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %m = dycl.constant @""
  %c = dycl.constant @"made Cell"
  dycl.setattr %c "n", %x : (!dycl.value, !torch.vtensor<[2],f32>) -> ()
  dycl.setattr %m "last", %c
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
