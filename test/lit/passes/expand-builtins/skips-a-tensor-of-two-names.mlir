// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// It may be what it was made of, a list may hold it, or its shape may have been read.

// CHECK: dycl.invoke %a "t_"()
// CHECK: dycl.invoke %b "t_"()
// CHECK: dycl.invoke %c "t_"()
// CHECK: dycl.invoke %d "t_"()
func.func @forward(%x: !torch.vtensor<[4,4],f32>, %p: !torch.bool) attributes {dycl.entry} {
  %a = dycl.invoke %x "contiguous"() : (!torch.vtensor<[4,4],f32>) -> !dycl.value
  %0 = dycl.invoke %a "t_"()
  %b = dycl.invoke %x "exp"() : (!torch.vtensor<[4,4],f32>) -> !dycl.value
  %l = dycl.list(%b)
  %1 = dycl.invoke %b "t_"()
  %c = dycl.invoke %x "exp"() : (!torch.vtensor<[4,4],f32>) -> !torch.vtensor<[4,4],f32>
  %2 = dycl.invoke %c "t_"() : (!torch.vtensor<[4,4],f32>) -> !dycl.value
  %d = dycl.invoke %x "exp"() : (!torch.vtensor<[4,4],f32>) -> !dycl.value
  dycl.if %p : !torch.bool {
    %3 = dycl.invoke %d "t_"()
    dycl.yield
  } {test = "p"}
  dycl.return %a, %l, %c, %d : (!dycl.value, !dycl.value, !torch.vtensor<[4,4],f32>, !dycl.value) -> ()
}
