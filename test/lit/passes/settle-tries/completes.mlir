// RUN: dycl-opt --dycl-settle-tries %s | filecheck %s

// A constant raises nothing: the body completes.

// CHECK:     dycl.constant true
// CHECK-NOT: dycl.unsupported
func.func @forward() attributes {dycl.entry} {
  %ok = dycl.unsupported "DY107" "try" "if" {handlers = ["?"]}
  %r = dycl.if %ok -> (!dycl.value) {
    %a = dycl.constant 2 : i64
    dycl.yield %a
  } else {
    %b = dycl.constant 3 : i64
    dycl.yield %b
  } {test = "try"}
  dycl.return %r
}
