// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// As many rows as the data decides, three at a time: each iteration cuts its own part.
// CHECK:      dycl.invoke %x "size"
// CHECK:      dycl.raise "builtins.RuntimeError"
// CHECK:      %[[COUNTED:.+]] = dycl.call
// CHECK:      dycl.for %[[NUMBER:.+]] in %[[COUNTED]]
// CHECK:        %[[START:.+]] = dycl.binary mul %[[NUMBER]], %three
// CHECK:        %[[PART:.+]] = dycl.subscript %x
// CHECK:        dycl.effect "builtins.print"(%[[PART]])
func.func @forward(%x: !torch.vtensor<[?,4],f32>) attributes {dycl.entry} {
  %three = dycl.constant 3 : i64
  %parts = dycl.invoke %x "split"(%three) : (!torch.vtensor<[?,4],f32>, !dycl.value) -> !dycl.value
  dycl.for %part in %parts {
    dycl.effect "builtins.print"(%part)
  }
  dycl.return %x : (!torch.vtensor<[?,4],f32>) -> ()
}
