// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// CHECK:      %t = dycl.format "{:d}"(%n) : (i64) -> !host.str
// CHECK-NEXT: dycl.effect "builtins.print"(%t, end = %t) : (!host.str, !host.str) -> ()
// CHECK-NEXT: dycl.raise "net.TooLarge" as "builtins.ValueError"(%n) : (i64) -> ()
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %t = dycl.format "{:d}"(%n) : (!torch.int) -> !torch.str
  dycl.effect "builtins.print"(%t, end = %t) : (!torch.str, !torch.str) -> ()
  dycl.raise "net.TooLarge" as "builtins.ValueError"(%n) : (!torch.int) -> ()
}
