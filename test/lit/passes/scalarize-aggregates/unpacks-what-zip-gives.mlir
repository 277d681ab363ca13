// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:      [[C:%.*]] = dycl.tuple(%b, %y)
// CHECK-NEXT: dycl.return [[C]]
func.func @forward(%a: !dycl.value, %b: !dycl.value, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %zip = dycl.constant #dycl.global<"builtins.zip">
  %one = dycl.tuple(%a, %b)
  %other = dycl.tuple(%x, %y)
  %z = dycl.call %zip(%one, %other)
  %hs, %cs = dycl.unpack %z -> 2
  dycl.return %cs
}
