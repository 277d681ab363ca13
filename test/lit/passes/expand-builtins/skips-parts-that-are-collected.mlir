// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// `open_sizes.chunk` is such a call already; the function that collects the parts is not
// inlined yet, since the branch waits for it. To replace it again would go on for ever.
// CHECK:      dycl.invoke %x "chunk"
// CHECK-NOT:  open_sizes.chunk
func.func @forward(%x: !torch.vtensor<[?,4],f32>) attributes {dycl.entry} {
  %three = dycl.constant 3 : i64
  %collected = dycl.constant #dycl.function<@dycl.prelude.open_sizes._collected>
  %parts = dycl.invoke %x "chunk"(%three) : (!torch.vtensor<[?,4],f32>, !dycl.value) -> !dycl.value
  %list = dycl.call %collected(%parts) {dycl.awaits = "dycl.prelude.open_sizes._collected"}
  dycl.return %list
}
