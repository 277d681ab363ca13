// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// An effect in a branch, an exception, a check: the host does the run again.
// CHECK-LABEL: graph.func @f
// CHECK:           graph.stop
// CHECK:         graph.if %{{.*}} {
// CHECK-NEXT:      graph.scalars {
// CHECK-NEXT:        %[[T:.*]] = dycl.constant true -> i1
// CHECK-NEXT:        graph.stop %[[T]]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
host.func @f(%n: i1) params ["n"] {
  %why = dycl.constant "why" -> !host.str
  dycl.effect "torch._check"(%n, %why) : (i1, !host.str) -> ()
  dycl.if %n : i1 {
    dycl.effect "builtins.print"(%why) : (!host.str) -> ()
  } {test = "n", name = "decision 1"}
  dycl.return
}
