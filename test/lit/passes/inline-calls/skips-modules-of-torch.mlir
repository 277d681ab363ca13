// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A module whose `forward` is torch's own has no body here: the call stays, and a call
// by attribute becomes a call of the module.

// CHECK-LABEL: func.func @forward
// CHECK:         [[CONV:%.*]] = dycl.constant @conv
// CHECK-NEXT:    %y = dycl.call [[CONV]](%x)
dycl.object @"" "net.Net" {conv = @conv}
dycl.object @conv "torch.nn.modules.conv.Conv2d" {__leaf__ = "torch.nn.modules.conv.Conv2d"}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.invoke %m "conv"(%x)
  dycl.return %y
}
