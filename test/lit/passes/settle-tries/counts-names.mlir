// RUN: dycl-opt --dycl-settle-tries %s | filecheck %s

// Names for a tuple that has as many items may be given; for one of another number it
// is a ValueError.

// CHECK:      dycl.constant true
// CHECK-NEXT: dycl.if
// CHECK:      dycl.constant false
// CHECK-NEXT: dycl.if
// CHECK-NOT:  dycl.unsupported
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %t = dycl.constant #dycl.tuple<[2 : i64, 3 : i64]>
  %ok = dycl.unsupported "DY107" "try" "if" {handlers = ["ValueError"], one_statement}
  %r = dycl.if %ok -> (!dycl.value) {
    %a, %b = dycl.unpack %t -> 2
    dycl.yield %b
  } else {
    dycl.yield %x
  } {test = "try"}
  %ok2 = dycl.unsupported "DY107" "try" "if" {handlers = ["ValueError"], one_statement}
  %s = dycl.if %ok2 -> (!dycl.value) {
    %a, %b, %c = dycl.unpack %t -> 3
    dycl.yield %b
  } else {
    dycl.yield %r
  } {test = "try"}
  dycl.return %s
}
