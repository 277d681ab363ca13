// RUN: dycl-opt --dycl-unroll-loops %s | filecheck %s

// `for block in self.blocks`: the item is the module.

// CHECK-LABEL: func.func @forward
// CHECK:         [[B0:%.*]] = dycl.constant @blocks.0
// CHECK-NEXT:    [[C0:%.*]] = dycl.call [[B0]](%x)
// CHECK-NEXT:    [[B1:%.*]] = dycl.constant @blocks.1
// CHECK-NEXT:    [[C1:%.*]] = dycl.call [[B1]]([[C0]])
// CHECK-NEXT:    dycl.return [[C1]]
dycl.object @blocks "torch.nn.modules.container.ModuleList" {__items__ = [@blocks.0, @blocks.1]}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %blocks = dycl.constant @blocks
  %y = dycl.for %b in %blocks carry(%a = %x) {
    %c = dycl.call %b(%a)
    dycl.yield %c
  }
  dycl.return %y
}
