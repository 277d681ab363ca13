// RUN: dycl-opt --dycl-propagate-constants %s | filecheck %s

// Whoever has the dict, and whatever is in it, it is a dict.

// CHECK-DAG:     %[[F:.*]] = dycl.constant false
// CHECK-DAG:     %[[T:.*]] = dycl.constant true
// CHECK:         dycl.return %[[F]], %[[T]]
func.func @forward(%f: !dycl.value) attributes {dycl.entry} {
  %d = dycl.dict()
  %none = dycl.constant #dycl.none
  %r = dycl.call %f(%d)
  %a = dycl.compare is %d, %none
  %b = dycl.compare is_not %none, %d
  dycl.return %a, %b
}
