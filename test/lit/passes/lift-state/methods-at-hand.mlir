// RUN: dycl-opt --split-input-file --dycl-lift-state %s | filecheck %s

// A class with a method `to` is there, but no object of it: `a.to()` is none of the
// user's, whatever `a` is.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.getattr
// CHECK-NOT:     dycl.setattr
dycl.object @"" "m.Net" {anchor = 1 : i64}
dycl.object @"class m.Cell" "builtins.type" {__mro__ = ["builtins.type"], to = #dycl.function<@to>}
func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %a = dycl.getattr %self "anchor"
  %b = dycl.invoke %a "to"()
  dycl.setattr %self "anchor", %b
  dycl.return %b
}

// -----

// Here the model holds one.

// CHECK-LABEL: func.func @forward
// CHECK:         dycl.getattr
// CHECK:         dycl.setattr
dycl.object @"" "m.Net" {anchor = 1 : i64, cells = [@cell]}
dycl.object @cell "m.Cell" {to = #dycl.function<@to>}
func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %a = dycl.getattr %self "anchor"
  %b = dycl.invoke %a "to"()
  dycl.setattr %self "anchor", %b
  dycl.return %b
}
