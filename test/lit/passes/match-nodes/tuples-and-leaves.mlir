// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s
// RUN: dycl-opt --dycl-match-nodes --dycl-match-nodes %s | filecheck %s

// Where tests leave one kind, a value is of that kind; else what is done with it decides:
// a subscript is one of a tuple, what is compared with a text is one.

// CHECK-LABEL: func.func @forward
// CHECK:         %p = dycl.is_node %t ["builtins.int", "builtins.bool"]
// CHECK-NEXT:    dycl.if %p
// CHECK-NEXT:      dycl.return %p
// CHECK:         %0 = dycl.field %t "items()" : (!dycl.node<"builtins.tuple">) -> !dycl.sequence<!dycl.node<"builtins.tuple">>
// CHECK-NEXT:    %a = dycl.subscript %0[%zero]
// CHECK:         %1 = dycl.field %t "str()" : (!dycl.node<"builtins.tuple">) -> !torch.str
// CHECK-NEXT:    %q = dycl.compare eq %1, %leaf
// CHECK:         %y = dycl.is_node %t ["builtins.tuple"]
// CHECK:         dycl.if %y
// CHECK:         %2 = dycl.field %t "str()"
// CHECK-NEXT:    %u, %v = dycl.unpack %2
func.func @forward(%t: !dycl.node<"builtins.tuple">) attributes {dycl.entry, dycl.params = ["t"], dycl.datatypes = [#dycl.datatype<"builtins.tuple", ["builtins.tuple", "builtins.int", "builtins.bool", "builtins.str"], ["items()" !dycl.sequence<!dycl.node<"builtins.tuple">> of 0, "int()" !torch.int of 1, "str()" !torch.str of 3]>]} {
  %isinstance = dycl.constant #dycl.global<"builtins.isinstance">
  %int = dycl.constant #dycl.global<"builtins.int">
  %tuple = dycl.constant #dycl.global<"builtins.tuple">
  %leaf = dycl.constant "leaf"
  %zero = dycl.constant 0 : i64
  %p = dycl.call %isinstance(%t, %int) : (!dycl.value, !dycl.node<"builtins.tuple">, !dycl.value) -> !dycl.value
  dycl.if %p {
    dycl.return %p
  }
  %a = dycl.subscript %t[%zero] : (!dycl.node<"builtins.tuple">, !dycl.value) -> !dycl.value
  %q = dycl.compare eq %t, %leaf : (!dycl.node<"builtins.tuple">, !dycl.value) -> !dycl.value
  %type = dycl.constant #dycl.global<"builtins.type">
  %c = dycl.call %type(%t) : (!dycl.value, !dycl.node<"builtins.tuple">) -> !dycl.value
  %y = dycl.compare is %c, %tuple
  dycl.if %y {
    dycl.return %a
  }
  %u, %v = dycl.unpack %t -> 2 : (!dycl.node<"builtins.tuple">) -> (!dycl.value, !dycl.value)
  dycl.return %q
}
