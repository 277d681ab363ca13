// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes --dycl-expand-modules %s | filecheck %s

// What is written is a number or a text; what is known is written out now.

// CHECK:      %0 = dycl.constant "n" -> !torch.str
// CHECK-NEXT: dycl.effect "builtins.print"(%0, %n) : (!torch.str, !torch.int) -> ()
// CHECK:      %2 = dycl.format "({!r}, torch.float32)"(%n) : (!torch.int) -> !torch.str
// CHECK-NEXT: dycl.effect "builtins.print"(%2) : (!torch.str) -> ()
// CHECK:      %3 = dycl.constant "net" -> !torch.str
// CHECK-NEXT: %4 = dycl.constant "n" -> !torch.str
// CHECK-NEXT: dycl.effect "logging.Logger.info"(%3, %4, %n) : (!torch.str, !torch.str, !torch.int) -> ()
// CHECK:      %sum = dycl.format "{:03d}"(%n) : (!torch.int) -> !torch.str
// CHECK-NEXT: dycl.raise "builtins.ValueError"(%sum) : (!torch.str) -> ()
func.func @forward(%n: !torch.int, %p: !torch.bool) attributes {dycl.entry} {
  %print = dycl.constant #dycl.global<"builtins.print">
  %text = dycl.constant "n"
  %0 = dycl.call %print(%text, %n) : (!dycl.value, !dycl.value, !torch.int) -> !dycl.value
  %dtype = dycl.constant #dycl.global<"torch.float32">
  %pair = dycl.tuple(%n, %dtype) : (!torch.int, !dycl.value) -> !dycl.value
  %1 = dycl.call %print(%pair)
  %log = dycl.constant #dycl.logger<"net">
  %2 = dycl.invoke %log "info"(%text, %n) : (!dycl.value, !dycl.value, !torch.int) -> !dycl.value
  dycl.if %p : !torch.bool {
    %form = dycl.constant "{:03d}"
    %sum = dycl.invoke %form "format"(%n) : (!dycl.value, !torch.int) -> !dycl.value
    dycl.raise "builtins.ValueError"(%sum)
  }
  dycl.return %0
}
