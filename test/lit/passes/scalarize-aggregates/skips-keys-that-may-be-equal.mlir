// RUN: dycl-opt --dycl-scalarize-aggregates %s | filecheck %s

// Two keys that only a run knows may be equal, and are one entry then; one key has none
// beside it.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[D:.*]] = dycl.dict(%k, %x, %m, %y)
// CHECK:         %[[N:.*]] = dycl.call %len(%[[D]])
// CHECK:         %[[V:.*]] = dycl.invoke %[[D]] "values"()
// CHECK:         %[[ONE:.*]] = dycl.constant 1 : i64
// CHECK:         dycl.tuple(%[[N]], %[[V]], %[[ONE]])
func.func @forward(%k: !torch.int, %m: !torch.int, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %len = dycl.constant #dycl.global<"builtins.len">
  %d = dycl.dict(%k, %x, %m, %y) : (!torch.int, !dycl.value, !torch.int, !dycl.value) -> !dycl.value
  %n = dycl.call %len(%d)
  %v = dycl.invoke %d "values"()
  %e = dycl.dict(%k, %x) : (!torch.int, !dycl.value) -> !dycl.value
  %one = dycl.call %len(%e)
  %r = dycl.tuple(%n, %v, %one)
  dycl.return %r
}
