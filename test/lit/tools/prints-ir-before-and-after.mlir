// RUN: dycl-opt -p cse,dce --print-ir-before=dce --print-ir-after=cse %s 2>&1 >/dev/null | filecheck %s
// RUN: dycl-opt -p 'dycl-repeat{passes=cse,dce}' --print-ir-after=dce %s 2>&1 >/dev/null | filecheck %s --check-prefix=INNER
// RUN: not dycl-opt -p cse --print-ir-after=csee %s 2>&1 | filecheck %s --check-prefix=TYPO
// RUN: dycl-opt --mlir-print-op-generic %s | filecheck %s --check-prefix=GENERIC
// RUN: dycl-opt -p cse --pass-statistics %s 2>&1 >/dev/null | filecheck %s --check-prefix=COUNT

// Passes are named, inside dycl-repeat too.

// CHECK: // ---- IR after cse
// CHECK: %two = dycl.constant 2 : i64
// CHECK-NOT: %deux
// CHECK: // ---- IR before dce
// INNER: // ---- IR after dce (round 1)
// INNER: // ---- IR after dce (round 2)
// TYPO: dycl-opt: error: there is no pass 'csee'; did you mean 'cse'?
// GENERIC: "dycl.constant"() <{value = 2 : i64}>
// COUNT: runs  changed  ops made  ops erased  pass
// COUNT-NEXT: 1        1         0           1  cse

func.func @forward(%n: !dycl.value) -> !dycl.value {
  %two = dycl.constant 2 : i64
  %deux = dycl.constant 2 : i64
  %r = dycl.binary mul %two, %deux
  dycl.return %r
}
