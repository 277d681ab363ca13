// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// The body of a method of a model object stands where the method was called.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %m = dycl.constant @""
// CHECK-NEXT:    [[SELF:%.*]] = dycl.constant @""
// CHECK-NEXT:    %by = dycl.getattr [[SELF]] "by"
// CHECK-NEXT:    %y = dycl.binary add %x, %by
// CHECK-NEXT:    %z = dycl.unary neg %y
// CHECK-NEXT:    dycl.return %z
dycl.object @"" "net.Net" {shift = #dycl.function<@"net.Net.shift">}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %y = dycl.invoke %m "shift"(%x)
  %z = dycl.unary neg %y
  dycl.return %z
}
func.func @"net.Net.shift"(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
  %by = dycl.getattr %self "by"
  %y = dycl.binary add %x, %by
  dycl.return %y
}
