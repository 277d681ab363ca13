// RUN: dycl-opt --dycl-form-graph %s | filecheck %s

// `and` computes both sides; a decision inside is noted if a run gets there.
// CHECK-LABEL: graph.func @f
// CHECK-NOT:     graph.if
// CHECK:         graph.scalars {
// CHECK:           graph.record 0, %[[A:.*]]
// CHECK:           graph.record 1, %[[B:.*]] when %[[A]]
// CHECK:           dycl.select %[[A]],
// CHECK:           graph.write
host.func @f(%a: i1, %n: i64) params ["a", "n"] {
  %both = dycl.if %a : i1 -> (i64) {
    %zero = dycl.constant 0 : i64 -> i64
    %low = dycl.compare lt %n, %zero : (i64, i64) -> i1
    %s = dycl.if %low : i1 -> (i64) {
      dycl.yield %zero : (i64) -> ()
    } else {
      dycl.yield %n : (i64) -> ()
    } {test = "n < 0", name = "decision 2"}
    dycl.yield %s : (i64) -> ()
  } else {
    %one = dycl.constant 1 : i64 -> i64
    dycl.yield %one : (i64) -> ()
  } {test = "a", name = "decision 1"}
  dycl.return %both : (i64) -> ()
}
