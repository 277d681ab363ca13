// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// Attributes of the model, arithmetic on them and tests of them are known now.

// CHECK-LABEL: func.func @forward
// CHECK:         [[N:%.*]] = dycl.constant 4 : i64
// CHECK-NEXT:    [[C:%.*]] = dycl.constant true
// CHECK-NEXT:    dycl.tuple([[N]], [[C]], %x)
dycl.object @"" "net.Net" {depth = 3 : i64}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %d = dycl.getattr %m "depth"
  %one = dycl.constant 1 : i64
  %n = dycl.binary add %d, %one
  %c = dycl.compare gt %n, %d
  %r = dycl.tuple(%n, %c, %x)
  dycl.return %r
}
