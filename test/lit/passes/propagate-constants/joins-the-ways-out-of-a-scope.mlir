// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// What all ways out of a scope give is known behind it; 1 and 1.0 are not one.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[A:.*]], %[[B:.*]], %[[C:.*]] = dycl.scope "join"
// CHECK:         %[[P:.*]] = dycl.constant true
// CHECK:         %[[Q:.*]] = dycl.binary add %[[B]], %[[B]]
// CHECK:         %[[R:.*]] = dycl.compare is %[[C]],
// CHECK:         dycl.tuple(%[[P]], %[[Q]], %[[R]])
func.func @forward(%p: !dycl.value, %x: !dycl.value) attributes {dycl.entry} {
  %a, %b, %c = dycl.scope "join" -> (!dycl.value, !dycl.value, !dycl.value) {
    dycl.if %p {
      %none = dycl.constant #dycl.none
      %one = dycl.constant 1 : i64
      dycl.leave "join" %none, %one, %one
    } else {
      %none_1 = dycl.constant #dycl.none
      %real = dycl.constant 1.0 : f64
      dycl.leave "join" %none_1, %real, %x
    }
    dycl.unreachable
  }
  %n = dycl.constant #dycl.none
  %q = dycl.compare is %a, %n
  %r = dycl.binary add %b, %b
  %s = dycl.compare is %c, %n
  %t = dycl.tuple(%q, %r, %s)
  dycl.return %t
}
