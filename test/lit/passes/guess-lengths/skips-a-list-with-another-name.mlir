// RUN: dycl-opt --dycl-guess-lengths --verify-diagnostics %s | filecheck %s

// The list goes to the next iteration by two names: a change by one shows by the other.

// CHECK:     dycl.yield [[N:%.*]], [[N]]
// CHECK-NOT: dycl.unpack
// CHECK-NOT: dycl.guessed
func.func @forward(%a: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %l = dycl.list(%a)
  %m = dycl.list(%a)
  // expected-remark @+1 {{length of a list not guessed: it has another name}}
  %r, %s = dycl.while carry(%u = %l, %v = %m) {
    dycl.condition %p, %u, %v
  } do(%w, %x) {
    %new = dycl.list(%a)
    dycl.yield %new, %new
  }
  dycl.return %r, %s
}
