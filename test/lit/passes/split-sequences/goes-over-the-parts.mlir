// RUN: dycl-opt --dycl-split-sequences %s | filecheck %s

// A loop over a list of pairs counts; `append` on one side of an `if`, and a sum.

// CHECK-LABEL: func.func @forward
// CHECK:         {{%.*}}, [[A:%.*]], [[B:%.*]] = dycl.if
// CHECK:         [[C:%.*]] = dycl.extend [[A]], {{%.*}}
// CHECK-NEXT:    [[D:%.*]] = dycl.extend [[B]], {{%.*}}
// CHECK:         [[N:%.*]] = dycl.call {{%.*}}([[C]])
// CHECK:         dycl.while
// CHECK:           dycl.compare lt {{%.*}}, [[N]]
// CHECK:           dycl.subscript [[C]]
// CHECK-NEXT:      dycl.subscript [[D]]
// CHECK-NEXT:      dycl.tuple
func.func @forward(%x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %t = dycl.tuple(%x, %y)
  %s = dycl.sequence(%t)
  %o = dycl.sequence(%t, %t)
  %p = dycl.to_bool %x
  %r = dycl.if %p -> (!dycl.value) {
    %u = dycl.tuple(%y, %y)
    %n = dycl.append %s, %u
    dycl.yield %n
  } else {
    dycl.yield %s
  }
  %w = dycl.extend %r, %o
  dycl.for %v in %w {
    dycl.effect "builtins.print"(%v)
  }
  dycl.return
}
