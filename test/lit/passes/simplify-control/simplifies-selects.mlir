// RUN: dycl-opt --dycl-simplify-control %s | filecheck %s

// A select on a constant, of one value, or of true and false, is one of its operands.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.select
// CHECK:         dycl.tuple(%x, %x, %p)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %p = dycl.to_bool %x
  %true = dycl.constant true
  %false = dycl.constant false
  %a = dycl.select %false, %p, %x
  %b = dycl.select %p, %x, %x
  %c = dycl.select %p, %true, %false
  %r = dycl.tuple(%a, %b, %c)
  dycl.return %r
}
