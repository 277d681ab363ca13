// RUN: dycl-opt --dycl-split-sequences %s | filecheck %s

// A list of pairs that a loop fills: a list of the first parts and one of the others.

// CHECK-LABEL: func.func @forward
// CHECK:         [[R:%.*]], [[A:%.*]], [[B:%.*]] = dycl.while
// CHECK:           dycl.append {{%.*}}, %x
// CHECK:           dycl.append {{%.*}}, %y
// CHECK:         [[K:%.*]] = dycl.subscript [[A]][%i]
// CHECK-NEXT:    [[V:%.*]] = dycl.subscript [[B]][%i]
// CHECK-NEXT:    [[T:%.*]] = dycl.tuple([[K]], [[V]])
// CHECK:         dycl.call {{%.*}}([[A]])
// CHECK:         dycl.return [[T]]
func.func @forward(%x: !dycl.value, %y: !dycl.value, %i: !torch.int) attributes {dycl.entry} {
  %s = dycl.sequence()
  %r = dycl.while carry(%a = %s) {
    %p = dycl.to_bool %x
    dycl.condition %p, %a
  } do(%b) {
    %t = dycl.tuple(%x, %y)
    %n = dycl.append %b, %t
    dycl.yield %n
  }
  %v = dycl.subscript %r[%i] : (!dycl.value, !torch.int) -> !dycl.value
  %len = dycl.constant #dycl.global<"builtins.len">
  %n = dycl.call %len(%r)
  dycl.effect "builtins.print"(%n)
  dycl.return %v
}
