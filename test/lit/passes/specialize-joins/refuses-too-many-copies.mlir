// RUN: dycl-opt -p 'dycl-specialize-joins{max-copied-ops=1}' %s | filecheck %s
// RUN: dycl-opt -p 'dycl-specialize-joins{max-copied-ops=2}' %s | filecheck %s --check-prefix=ENOUGH

// Two ops would be copied once: with a limit of one the value is refused at its place.

// CHECK-LABEL: func.func @forward
// CHECK:         %h_1 = dycl.unsupported "DY302" "one side gives 2, the other 2.5, and `h` lives too long for each path to have its own copy of what follows"
// CHECK:         %y = dycl.tuple(%h_1)

// ENOUGH-LABEL: func.func @forward
// ENOUGH-SAME:  dycl.copied = 2
// ENOUGH-NOT:   dycl.unsupported
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  %n = dycl.constant 2 : i64
  %f = dycl.constant 2.5 : f64
  %h = dycl.if %p : !torch.bool -> (!dycl.value) {
    dycl.yield %n
  } else {
    dycl.yield %f
  }
  %y = dycl.tuple(%h)
  dycl.return %y
}
