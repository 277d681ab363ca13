// RUN: dycl-opt %s | dycl-opt | filecheck %s

// CHECK-LABEL: func.func @values
func.func @values(%x: !dycl.value) {
  // CHECK-NEXT: dycl.effect "builtins.print"()
  dycl.effect "builtins.print"()
  // CHECK-NEXT: dycl.effect "builtins.print"(%x, %x, sep = %x) {note = "kept"}
  dycl.effect "builtins.print"(%x, %x, sep = %x) {note = "kept"}
  // CHECK-NEXT: %t = dycl.format "{} of {n:d}"(%x, n = %x)
  %t = dycl.format "{} of {n:d}"(%x, n = %x)
  dycl.if %x {
    // CHECK: dycl.raise "builtins.ValueError"(%t, %x)
    dycl.raise "builtins.ValueError"(%t, %x)
  }
  // CHECK: dycl.raise "net.TooLarge" as "builtins.ValueError"()
  dycl.raise "net.TooLarge" as "builtins.ValueError"()
}

// CHECK-LABEL: func.func @typed
func.func @typed(%n: !torch.int) {
  // CHECK-NEXT: %t = dycl.format "{}"(%n) : (!torch.int) -> !torch.str
  %t = dycl.format "{}"(%n) : (!torch.int) -> !torch.str
  // CHECK-NEXT: dycl.effect "builtins.print"(%t, end = %t) : (!torch.str, !torch.str) -> ()
  dycl.effect "builtins.print"(%t, end = %t) : (!torch.str, !torch.str) -> ()
  // CHECK-NEXT: dycl.raise "builtins.KeyError"(%n) : (!torch.int) -> ()
  dycl.raise "builtins.KeyError"(%n) : (!torch.int) -> ()
}
