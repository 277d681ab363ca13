// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Members are sorted by name, so that the text does not depend on how it was made.

// CHECK: dycl.object @"" "net.Net" {
// CHECK-SAME: blocks = @blocks, forward = #dycl.function<@net.Net.forward>
// CHECK-SAME: threshold = 9.000000e-01 : f64
dycl.object @"" "net.Net" {blocks = @blocks,
  forward = #dycl.function<@"net.Net.forward">, threshold = 0.9 : f64}
// CHECK-NEXT: dycl.object @blocks "torch.nn.modules.container.ModuleList" {__items__ = []}
dycl.object @blocks "torch.nn.modules.container.ModuleList" {__items__ = []}
// CHECK-NEXT: dycl.object @blocks.0 "net.Empty" {}
dycl.object @"blocks.0" "net.Empty"
