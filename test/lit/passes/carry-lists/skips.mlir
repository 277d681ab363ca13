// RUN: dycl-opt --dycl-carry-lists --verify-diagnostics %s | filecheck %s

// A list that nobody changes, that an unknown function gets, that a tuple holds while it
// is changed, that is changed while a loop goes over it, and a method that is not known.

// CHECK-NOT: dycl.sequence
// CHECK-NOT: dycl.append
func.func @forward(%x: !dycl.value, %f: !dycl.value) attributes {dycl.entry} {
  %still = dycl.list(%x)
  %given = dycl.list()
  %0 = dycl.invoke %given "append"(%x)
  // expected-remark @+1 {{list not carried: here it cannot be followed}}
  %1 = dycl.call %f(%given)
  %held = dycl.list()
  %pair = dycl.tuple(%held, %x)
  %2 = dycl.invoke %held "append"(%x)
  dycl.effect "builtins.print"(%pair)
  %over = dycl.list(%x)
  dycl.for %item in %over {
    %3 = dycl.invoke %over "append"(%item)
  }
  %sorted = dycl.list(%x)
  %4 = dycl.invoke %sorted "append"(%x)
  %5 = dycl.invoke %sorted "sort"()
  %t = dycl.tuple(%still, %given, %pair, %over, %sorted)
  dycl.return %t
}
