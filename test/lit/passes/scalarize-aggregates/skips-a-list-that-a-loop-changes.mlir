// RUN: dycl-opt --dycl-scalarize-aggregates --verify-diagnostics %s | filecheck %s

// A loop over data changes the list as often as it runs.

// CHECK-LABEL: func.func @forward
// CHECK:         %a = dycl.subscript
// CHECK-NEXT:    dycl.return %a
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %one = dycl.constant 1 : i64
  // expected-remark @+1 {{not scalarised: its items depend on data here}}
  %l = dycl.list(%x)
  dycl.for %i in %x {
    %n = dycl.invoke %l "append"(%i)
  }
  %a = dycl.subscript %l[%one]
  dycl.return %a
}
