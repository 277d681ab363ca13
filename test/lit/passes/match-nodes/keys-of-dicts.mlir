// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// A key is a field, behind a test that raises a KeyError, or that gives a default. A named
// tuple is taken apart by the names of its fields.

// CHECK-LABEL: func.func @forward
// CHECK:         %0 = dycl.has_field %n "['left']"
// CHECK-NEXT:    %1 = dycl.unary not %0
// CHECK-NEXT:    dycl.if %1
// CHECK-NEXT:      dycl.constant "left"
// CHECK-NEXT:      dycl.raise "builtins.KeyError"
// CHECK:         %y = dycl.getattr %n "['left']"
// CHECK-NEXT:    %q = dycl.has_field %n "['left']"
// CHECK-NEXT:    %3 = dycl.has_field %n "['left']"
// CHECK-NEXT:    %d = dycl.if %3
// CHECK-NEXT:      %4 = dycl.getattr %n "['left']"
// CHECK:           dycl.yield %left
// CHECK:         %a = dycl.getattr %m "value"
// CHECK-NEXT:    %b = dycl.getattr %m "rest"
dycl.object @"class m.Link" "builtins.type" {__node__ = #dycl.dict<["properties", #dycl.dict<[]>, "classes", ["m.Link", "builtins.tuple"], "items", ["value", "rest"]]>}
func.func @forward(%n: !dycl.node<"builtins.dict">, %m: !dycl.node<"m.Link">) attributes {dycl.entry, dycl.params = ["n", "m"], dycl.datatypes = [#dycl.datatype<"builtins.dict", ["builtins.dict"], ["['left']" !dycl.node<"builtins.dict"> of 0]>, #dycl.datatype<"m.Link", ["m.Link"], ["value" !torch.int of 0, "rest" !dycl.node<"m.Link"> of 0]>]} {
  %left = dycl.constant "left"
  %y = dycl.subscript %n[%left] : (!dycl.node<"builtins.dict">, !dycl.value) -> !dycl.value
  %q = dycl.compare in %left, %n : (!dycl.value, !dycl.node<"builtins.dict">) -> !dycl.value
  %d = dycl.invoke %n "get"(%left, %left) : (!dycl.node<"builtins.dict">, !dycl.value, !dycl.value) -> !dycl.value
  %a, %b = dycl.unpack %m -> 2 : (!dycl.node<"m.Link">) -> (!dycl.value, !dycl.value)
  %r = dycl.tuple(%y, %q, %d, %a, %b)
  dycl.return %r
}
