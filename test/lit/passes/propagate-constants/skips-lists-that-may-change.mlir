// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// A list that is appended to has an identity: it is no constant, and its length is not
// the first one.

// CHECK-LABEL: func.func @forward
// CHECK:         %l = dycl.list(%one)
// CHECK:         dycl.call %len(%l)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %one = dycl.constant 1 : i64
  %l = dycl.list(%one)
  %a = dycl.invoke %l "append"(%one)
  %len = dycl.constant #dycl.global<"builtins.len">
  %n = dycl.call %len(%l)
  dycl.return %n
}
