// RUN: dycl-opt %s | dycl-opt | filecheck %s

// CHECK-LABEL: host.func @forward
host.func @forward(%n: i64) params ["n"] {
  // CHECK-NEXT: %t = dycl.format "{} of {k:d}"(%n, k = %n) : (i64, i64) -> !host.str
  %t = dycl.format "{} of {k:d}"(%n, k = %n) : (i64, i64) -> !host.str
  // CHECK-NEXT: dycl.effect "builtins.print"(%t, %n, end = %t) : (!host.str, i64, !host.str) -> ()
  dycl.effect "builtins.print"(%t, %n, end = %t) : (!host.str, i64, !host.str) -> ()
  // CHECK-NEXT: dycl.raise "net.TooLarge" as "builtins.ValueError"(%t) : (!host.str) -> ()
  dycl.raise "net.TooLarge" as "builtins.ValueError"(%t) : (!host.str) -> ()
}
