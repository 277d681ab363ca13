// RUN: dycl-opt --dycl-carry-lists %s | filecheck %s

// A stack in a loop: the item, and the list without it; a copy is a list of its own.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.while carry([[A:%.*]] = {{%.*}}) {
// CHECK:         } do([[B:%.*]]) {
// CHECK:           dycl.raise "builtins.IndexError"
// CHECK:           [[C:%.*]] = dycl.take [[B]], {{%.*}}, {{%.*}}
// CHECK:           [[I:%.*]] = dycl.subscript [[B]]
// CHECK:           dycl.effect "builtins.print"([[I]])
// CHECK:           dycl.yield [[C]]
// CHECK:         [[D:%.*]] = dycl.take [[E:%.*]], {{%.*}}, {{%.*}}
// CHECK:         [[F:%.*]] = dycl.append [[E]], %x
// CHECK:         dycl.return [[F]], [[D]]
func.func @forward(%x: !dycl.value, %n: !torch.int) attributes {dycl.entry} {
  %l = dycl.list(%x, %x)
  %none = dycl.constant #dycl.none
  dycl.while {
    %p = dycl.to_bool %x
    dycl.condition %p
  } do {
    %i = dycl.invoke %l "pop"()
    dycl.effect "builtins.print"(%i)
  }
  %s = dycl.slice(%n, %none, %none) : (!torch.int, !dycl.value, !dycl.value) -> !dycl.value
  %m = dycl.subscript %l[%s]
  %0 = dycl.invoke %l "append"(%x)
  dycl.return %l, %m
}
