// RUN: dycl-opt %s | dycl-opt | filecheck %s

// CHECK-LABEL: host.func @forward
host.func @forward(%n: i64) params ["n"] {
  // CHECK-NEXT: %t = host.format "{} of {k:d}"(%n, k = %n) : (i64, i64) -> !host.str
  %t = host.format "{} of {k:d}"(%n, k = %n) : (i64, i64) -> !host.str
  // CHECK-NEXT: host.effect "builtins.print"(%t, %n, end = %t) : (!host.str, i64, !host.str) -> ()
  host.effect "builtins.print"(%t, %n, end = %t) : (!host.str, i64, !host.str) -> ()
  // CHECK-NEXT: host.raise "net.TooLarge" as "builtins.ValueError"(%t) : (!host.str) -> ()
  host.raise "net.TooLarge" as "builtins.ValueError"(%t) : (!host.str) -> ()
}
