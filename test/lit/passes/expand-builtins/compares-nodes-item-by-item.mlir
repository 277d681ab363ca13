// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// What is compared with a node, or with what it holds unless it is None, is said of each
// item: `(n, n.word) == (None, "a")` and `None in (n, 1)`.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[W:.*]] = dycl.getattr %n "word"
// CHECK:         %[[P:.*]] = dycl.compare eq %n, %{{.*}}
// CHECK-NEXT:    %[[Q:.*]] = dycl.to_bool %[[P]]
// CHECK-NEXT:    dycl.if %[[Q]]
// CHECK:           dycl.compare eq %[[W]], %{{.*}}
// CHECK:         %[[R:.*]] = dycl.compare eq %n, %none
// CHECK-NEXT:    %[[S:.*]] = dycl.to_bool %[[R]]
// CHECK-NEXT:    dycl.if %[[S]]
// CHECK:           dycl.compare eq %one, %none
func.func @forward(%n: !dycl.node<"m.Node">) attributes {dycl.entry} {
  %none = dycl.constant #dycl.none
  %one = dycl.constant 1 : i64
  %w = dycl.getattr %n "word" : (!dycl.node<"m.Node">) -> !dycl.value
  %t = dycl.tuple(%n, %w) : (!dycl.node<"m.Node">, !dycl.value) -> !dycl.value
  %u = dycl.constant #dycl.tuple<[#dycl.none, "a"]>
  %a = dycl.compare eq %t, %u
  %v = dycl.tuple(%n, %one) : (!dycl.node<"m.Node">, !dycl.value) -> !dycl.value
  %b = dycl.compare in %none, %v
  %r = dycl.tuple(%a, %b)
  dycl.return %r
}
