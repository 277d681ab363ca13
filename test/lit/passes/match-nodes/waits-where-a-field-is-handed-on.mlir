// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s
// RUN: dycl-opt --dycl-match-nodes --remarks %s 2>&1 | filecheck %s --check-prefix=REMARK
// RUN: dycl-opt --dycl-match-nodes="hand-on=true" %s | filecheck %s --check-prefix=LAST

// What may be None and is handed to a function, which may ask whether it is, waits; so
// does a class that is not one of the nodes', and may be a base of theirs.

// CHECK:  dycl.getattr %node "word"
// CHECK:  dycl.call %isinstance(%node, %base)

// LAST:   %w = dycl.field %node "word" : (!dycl.node<"m.Node">) -> !torch.int

// REMARK: remark: not matched: it may be None, and is handed on
// REMARK: remark: not matched: which of the nodes' classes it is a base of
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.params = ["node"], dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["word" !torch.optional<int> of 0]>]} {
  %w = dycl.getattr %node "word" : (!dycl.node<"m.Node">) -> !dycl.value
  %g = dycl.constant #dycl.function<@g>
  %y = dycl.call %g(%w)
  %isinstance = dycl.constant #dycl.global<"builtins.isinstance">
  %base = dycl.constant #dycl.global<"m.Base">
  %z = dycl.call %isinstance(%node, %base) : (!dycl.value, !dycl.node<"m.Node">, !dycl.value) -> !dycl.value
  %r = dycl.tuple(%y, %z)
  dycl.return %r
}
func.func @g(%a: !dycl.value) -> !dycl.value attributes {dycl.params = ["a"]} {
  dycl.return %a
}
