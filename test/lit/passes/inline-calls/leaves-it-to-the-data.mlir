// RUN: dycl-opt --dycl-inline-calls --dycl-inline-calls --dycl-inline-calls --dycl-inline-calls --dycl-inline-calls %s | filecheck %s

// Of @f three bodies are there with all that it tests, so its fifth call waits; @g calls
// a function that is inlined, which may test something. What takes items out of a list
// does more than read it.

// CHECK-LABEL: func.func @forward
// CHECK-COUNT-4: dycl.compare gt
// CHECK-NOT:     dycl.compare gt
// CHECK:         dycl.unsupported "DY203" "the data ends this recursion, and it is given a list, which it might change"
// CHECK-COUNT-5: dycl.compare lt
// CHECK-NOT:     dycl.unsupported
// CHECK-LABEL: func.func @f
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %l = dycl.list(%x)
  %y = dycl.call %f(%x, %l)
  %g = dycl.constant #dycl.function<@g>
  %z = dycl.call %g(%y, %l)
  dycl.return %z
}
func.func @f(%x: !dycl.value, %l: !dycl.value) -> !dycl.value attributes {dycl.params = ["x", "l"]} {
  %f = dycl.constant #dycl.function<@f>
  %i = dycl.invoke %l "pop"()
  %y = dycl.compare gt %x, %x
  %m = dycl.list(%y)
  %z = dycl.call %f(%y, %m)
  dycl.return %z
}
func.func @g(%x: !dycl.value, %l: !dycl.value) -> !dycl.value attributes {dycl.params = ["x", "l"]} {
  %g = dycl.constant #dycl.function<@g>
  %h = dycl.constant #dycl.function<@h>
  %i = dycl.invoke %l "pop"()
  %y = dycl.compare lt %x, %x
  %n = dycl.call %h(%y)
  %m = dycl.list(%n)
  %z = dycl.call %g(%y, %m)
  dycl.return %z
}
func.func @h(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  %y = dycl.unary neg %x
  dycl.return %y
}
