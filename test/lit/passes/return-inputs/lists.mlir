// REQUIRES: torch
// RUN: dycl-opt --dycl-return-inputs --dycl-return-inputs %s | filecheck %s

// Lists that `dycl-return-lists` has put around the output go behind the state, in front
// of inputs. An argument among their items is not returned: it is the caller's own.

// CHECK:      func.func @forward(%x: !torch.vtensor<[2],f32>, %w: !torch.vtensor<[2],f32>)
// CHECK-SAME:   ["xs", "refill", #dycl.tuple<[]>, #dycl.tuple<[]>]
// CHECK-SAME:   ["x", "write"
// CHECK-DAG:    %[[X:.*]] = dycl.constant #dycl.record<"dycl.runtime.refilled.Given", "dataclass", ["what"], [0 : i64]>
// CHECK-DAG:    %[[INNER:.*]] = dycl.constant #dycl.record<"dycl.runtime.refilled.Given", "dataclass", ["what"], ["ys"]>
// CHECK:        %[[XS:.*]] = dycl.list(%[[X]], %[[INNER]], %y)
// CHECK:        %[[A:.*]] = dycl.tuple(%[[XS]], %x)
// CHECK-NEXT:   %[[B:.*]] = dycl.tuple(%y, %[[A]])
// CHECK-NEXT:   dycl.return %[[B]]
func.func @forward(%x: !torch.vtensor<[2],f32>, %w: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x", "w"], dycl.refilled = ["xs"]} {
  %ys = dycl.list(%w) {dycl.given = "ys"} : (!torch.vtensor<[2],f32>) -> !dycl.value
  %y = dycl.invoke %w "exp"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %r = dycl.invoke %x "relu_"() : (!torch.vtensor<[2],f32>) -> !torch.vtensor<[2],f32>
  %xs = dycl.list(%x, %ys, %y) : (!torch.vtensor<[2],f32>, !dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
  %both = dycl.tuple(%y, %xs) : (!torch.vtensor<[2],f32>, !dycl.value) -> !dycl.value
  dycl.return %both
}
