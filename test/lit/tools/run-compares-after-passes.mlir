// RUN: %python -m dycl.tools.run %s --args '[3]' --same-after=cse,dce | filecheck %s
// RUN: not %python -m dycl.tools.run %s --args '[3]' --same-after=no-such-pass 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not %python -m dycl.tools.run %s --args '3' 2>&1 | filecheck %s --check-prefix=USAGE

// CHECK: value: 6
// CHECK-NEXT: same after cse,dce
// UNKNOWN: dycl-run: error: --same-after: there is no pass 'no-such-pass'
// USAGE: dycl-run: error: --args must be a list, one item for each argument

func.func @forward(%n: !dycl.value) -> !dycl.value attributes {dycl.params = ["n"]} {
  %two = dycl.constant 2 : i64
  %deux = dycl.constant 2 : i64
  %r = dycl.binary mul %n, %deux
  dycl.return %r
}
