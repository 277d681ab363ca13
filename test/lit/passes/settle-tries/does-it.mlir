// RUN: dycl-opt --dycl-settle-tries %s | filecheck %s

// A text that is no number surely raises a ValueError: the second handler runs.

// CHECK:      dycl.constant false
// CHECK-NEXT: dycl.if
// CHECK:      else
// CHECK-NEXT: dycl.constant false
// CHECK-NOT:  dycl.unsupported
func.func @forward() attributes {dycl.entry} {
  %ok = dycl.unsupported "DY107" "try" "if" {handlers = ["AttributeError", "ValueError"], one_statement}
  %r = dycl.if %ok -> (!dycl.value) {
    %int = dycl.constant #dycl.global<"builtins.int">
    %k = dycl.constant "many"
    %v = dycl.call %int(%k)
    dycl.yield %v
  } else {
    %h = dycl.unsupported "DY107" "try" "if"
    %s = dycl.if %h -> (!dycl.value) {
      %a = dycl.constant 2 : i64
      dycl.yield %a
    } else {
      %b = dycl.constant 3 : i64
      dycl.yield %b
    }
    dycl.yield %s
  } {test = "try"}
  dycl.return %r
}
