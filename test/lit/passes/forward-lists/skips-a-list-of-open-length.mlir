// RUN: dycl-opt --dycl-forward-lists %s | filecheck %s

// No tuple takes it apart; `dycl-carry-lists` would undo that, and this pass again.

// CHECK:      %r = dycl.scope "f" -> (!dycl.sequence<!torch.int>) {
// CHECK:        dycl.leave "f" %a : (!dycl.sequence<!torch.int>) -> ()
// CHECK:        dycl.leave "f" %b : (!dycl.sequence<!torch.int>) -> ()
// CHECK-NEXT: }
// CHECK-NEXT: dycl.return %r
func.func @forward(%x: !dycl.sequence<!torch.int>, %c: !torch.bool) -> !dycl.sequence<!torch.int> attributes {dycl.entry} {
  %list = dycl.constant #dycl.global<"builtins.list">
  %r = dycl.scope "f" -> (!dycl.sequence<!torch.int>) {
    %a = dycl.call %list(%x) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.sequence<!torch.int>
    dycl.if %c : !torch.bool {
      dycl.leave "f" %a : (!dycl.sequence<!torch.int>) -> ()
    }
    %b = dycl.call %list(%x) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.sequence<!torch.int>
    dycl.leave "f" %b : (!dycl.sequence<!torch.int>) -> ()
  }
  dycl.return %r : (!dycl.sequence<!torch.int>) -> ()
}
