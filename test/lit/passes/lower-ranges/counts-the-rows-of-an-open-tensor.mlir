// RUN: dycl-opt --dycl-lower-ranges %s | filecheck %s

// CHECK:      %[[N:.+]] = dycl.call %{{.+}}(%x)
// CHECK:      dycl.while
// CHECK:        dycl.compare lt %{{.+}}, %[[N]]
// CHECK:      do
// CHECK:        %row = dycl.subscript %x[%{{.+}}]
func.func @forward(%x: !torch.vtensor<[?,4],f32>, %a: !dycl.value) attributes {dycl.entry} {
  %r = dycl.for %row in %x : !torch.vtensor<[?,4],f32> carry(%b = %a) {
    %s = dycl.binary add %b, %row
    dycl.yield %s
  }
  dycl.return %r
}
