// RUN: dycl-opt --dycl-pair-dicts --verify-diagnostics %s | filecheck %s

// A dict that is kept elsewhere, or that a loop over it takes entries from, stays; so
// does a set that is gone over, in an order of Python's own.

// CHECK-LABEL: func.func @forward
// CHECK-NOT:     dycl.prelude
// CHECK:         dycl.return
func.func @forward(%x: !dycl.value, %k: !dycl.value) attributes {dycl.entry} {
  %a = dycl.dict()
  dycl.store_subscript %a[%k], %x
  // expected-remark @+1 {{a dict was not made two lists: it has a use of another kind}}
  %l = dycl.invoke %x "keep"(%a)
  %b = dycl.dict()
  dycl.store_subscript %b[%k], %x
  // expected-remark @+1 {{a dict was not made two lists: it has a use of another kind}}
  dycl.for %i in %b {
    %p = dycl.invoke %b "pop"(%i)
  }
  %set = dycl.constant #dycl.global<"builtins.set">
  %s = dycl.call %set()
  %q = dycl.invoke %s "add"(%k)
  // expected-remark @+1 {{a dict was not made two lists: it has a use of another kind}}
  dycl.for %i in %s {
    %r = dycl.to_bool %i
  }
  dycl.return %l
}
