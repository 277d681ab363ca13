// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// `is` compares lists, not their items.

// CHECK-LABEL: func.func @forward
// CHECK:         [[T:%.*]] = dycl.constant true
// CHECK:         [[F:%.*]] = dycl.constant false
// CHECK:         dycl.tuple([[T]], [[F]])
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %a = dycl.list(%x)
  %b = dycl.list(%x)
  %n = dycl.invoke %a "append"(%x)
  %c = dycl.compare is %a, %a
  %d = dycl.compare is %a, %b
  %r = dycl.tuple(%c, %d)
  dycl.return %r
}
