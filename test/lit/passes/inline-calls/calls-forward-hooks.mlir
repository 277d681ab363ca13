// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// Hooks run around `forward`: one that gives None leaves the result as it is.

// CHECK-LABEL: func.func @forward
// CHECK:         %args = dycl.tuple(%x)
// CHECK:         dycl.call %{{.*}}(%{{.*}}, %args)
// CHECK:         dycl.compare is_not
// CHECK:         dycl.if {{.*}} {
// CHECK:         } {test = "the hook gives arguments"}
// CHECK:         %y = dycl.call %{{.*}}("*" = %{{.*}}, "**" = %{{.*}})
// CHECK:         dycl.call %{{.*}}(%{{.*}}, %{{.*}}, %y)
// CHECK:         } {test = "the hook gives a result"}
dycl.object @"" "net.Net" {__hooks__ = #dycl.dict<["before", [[#dycl.function<@g>, false]], "after", [[#dycl.function<@h>, false]]]>, forward = #dycl.function<@f>}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.call %m(%x)
  dycl.return %y
}
func.func @f(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
  dycl.return %x
}
func.func @g(%m: !dycl.value, %a: !dycl.value) -> !dycl.value attributes {dycl.params = ["m", "a"]} {
  dycl.return %a
}
func.func @h(%m: !dycl.value, %a: !dycl.value, %o: !dycl.value) -> !dycl.value attributes {dycl.params = ["m", "a", "o"]} {
  dycl.return %o
}
