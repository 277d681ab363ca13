// REQUIRES: torch
// RUN: dycl-opt -p dycl-unroll-loops,cse,dce --same-answer --args='[[1, 2]]' %s | filecheck %s
// RUN: not dycl-opt -p cse --same-answer %s 2>&1 | filecheck %s --check-prefix=DRAW

// CHECK: func.func @forward
// DRAW: dycl-opt: error: --same-answer cannot draw an argument of type !dycl.value

func.func @forward(%xs: !dycl.value) -> !dycl.value attributes {dycl.entry, dycl.params = ["xs"]} {
  %zero = dycl.constant 0 : i64
  %s = dycl.for %x in %xs carry(%a = %zero) {
    %b = dycl.binary add %a, %x
    dycl.yield %b
  }
  dycl.return %s
}
