// RUN: %python -m dycl.tools.run %s --args '[2, 1.5]' | filecheck %s
// RUN: %python -m dycl.tools.run %s --args '[1, 1.5]' | filecheck %s --check-prefix=ELSE

// The value that the entry returns, then every decision with its place.

// CHECK: value: (2, [2])
// CHECK-NEXT: decision: n > t at {{.*}}run-prints-decisions.mlir:15:3: true
// ELSE: value: (1, [])
// ELSE-NEXT: decision: n > t at {{.*}}: false

func.func @forward(%n: !dycl.value, %t: !dycl.value) -> !dycl.value
    attributes {dycl.params = ["n", "t"]} {
  %l = dycl.list()
  %p = dycl.compare gt %n, %t
  dycl.if %p { %none = dycl.invoke %l "append"(%n) } {test = "n > t"}
  %r = dycl.tuple(%n, %l)
  dycl.return %r
}
