// RUN: dycl-opt --dycl-match-nodes %s | filecheck %s

// A dict that an attribute holds is two lists: what is asked of it, is asked of them.
func.func @forward(%node: !dycl.node<"m.Node">) attributes {dycl.entry, dycl.datatypes = [#dycl.datatype<"m.Node", ["m.Node"], ["word" !torch.str of 0, "kids.keys()" !dycl.sequence<!torch.str> of 0, "kids.values()" !dycl.sequence<!dycl.node<"m.Node">> of 0]>]} {
  %none = dycl.constant #dycl.none
  %len = dycl.constant #dycl.global<"builtins.len">
  %kids = dycl.getattr %node "kids" : (!dycl.node<"m.Node">) -> !dycl.value
  %word = dycl.getattr %node "word" : (!dycl.node<"m.Node">) -> !dycl.value
  // CHECK: %[[IS:.*]] = dycl.has_field %node "kids.keys()"
  // CHECK-NEXT: dycl.unary not %[[IS]]
  %is_none = dycl.compare is %kids, %none
  // CHECK: %[[K1:.*]] = dycl.field %node "kids.keys()"
  // CHECK-NEXT: %[[HAS:.*]] = dycl.constant #dycl.function<@dycl.prelude.tables.has>
  // CHECK-NEXT: dycl.call %[[HAS]](%[[K1]], %word)
  %in = dycl.compare in %word, %kids
  // CHECK: %[[K2:.*]] = dycl.field %node "kids.keys()"
  // CHECK-NEXT: %[[V2:.*]] = dycl.field %node "kids.values()"
  // CHECK-NEXT: %[[ITEM:.*]] = dycl.constant #dycl.function<@dycl.prelude.tables.item>
  // CHECK-NEXT: dycl.call %[[ITEM]](%[[K2]], %[[V2]], %word)
  %kid = dycl.subscript %kids[%word]
  // CHECK: dycl.call %{{.*}}(%{{.*}}, %{{.*}}, %word, %none)
  %other = dycl.invoke %kids "get"(%word, %none)
  // CHECK: %[[K3:.*]] = dycl.field %node "kids.keys()"
  // CHECK-NEXT: dycl.call %len(%[[K3]])
  %count = dycl.call %len(%kids)
  // CHECK: %[[THERE:.*]] = dycl.has_field %node "kids.keys()"
  // CHECK-NEXT: dycl.if %[[THERE]]
  // CHECK: dycl.to_bool
  %some = dycl.to_bool %kids
  // CHECK: %[[ZIP:.*]] = dycl.call %{{.*}}(%{{.*}}, %{{.*}})
  // CHECK: dycl.for %item in %[[ZIP]]
  %items = dycl.invoke %kids "items"()
  dycl.for %item in %items {
    dycl.yield
  }
  // What hands the dict on stays as it is.
  // CHECK: dycl.tuple({{.*}}, %kids)
  %r = dycl.tuple(%is_none, %in, %kid, %other, %count, %some, %kids)
  dycl.return %r
}
