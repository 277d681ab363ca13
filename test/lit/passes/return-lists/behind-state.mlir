// RUN: dycl-opt --dycl-return-lists %s | filecheck %s

// Where the state has been lifted, the list is beside the output. A body for another
// kind of state has the list under the same name, or has no use of it.

// CHECK:      func.func @forward(%x: !dycl.value, %p: !dycl.value)
// CHECK-SAME:   dycl.refilled = ["xs"]
// CHECK:        dycl.if %p
// CHECK:          %[[A:.*]] = dycl.tuple(%x, %xs)
// CHECK:          %[[B:.*]] = dycl.tuple(%[[A]], %left)
// CHECK:          dycl.return %[[B]]
// CHECK:        %[[GIVEN:.*]] = dycl.constant #dycl.record<"dycl.runtime.refilled.Given", "dataclass", ["what"], ["xs"]>
// CHECK:        %[[C:.*]] = dycl.tuple(%x, %[[GIVEN]])
// CHECK:        %[[D:.*]] = dycl.tuple(%[[C]], %none_left)
// CHECK:        dycl.return %[[D]]
// CHECK:      func.func @forward.again
// CHECK:        %[[E:.*]] = dycl.tuple(%x, %same)
// CHECK-NEXT:   dycl.return %[[E]]
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry, dycl.template = @forward.again, dycl.state = #dycl.dict<["inputs", 1 : i64, "kind", 1 : i64, "variables", [#dycl.tuple<["n", "set", #dycl.tuple<[3 : i64]>, #dycl.tuple<[]>]>]]>} {
  dycl.if %p {
    %xs = dycl.list(%x) {dycl.given = "xs"}
    %none = dycl.invoke %xs "append"(%p)
    %left = dycl.tuple(%x)
    %both = dycl.tuple(%x, %left)
    dycl.return %both
  }
  %none_left = dycl.tuple(%x)
  %others = dycl.tuple(%x, %none_left)
  dycl.return %others
}
func.func @forward.again(%x: !dycl.value) {
  %same = dycl.list(%x) {dycl.given = "xs"}
  dycl.return %x
}
