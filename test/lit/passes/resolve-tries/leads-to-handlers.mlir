// RUN: dycl-opt --dycl-resolve-tries %s | filecheck %s

// Where only `raise` raises, each leads to its handler, one in a loop behind the loop;
// what no handler catches is raised still. What the body does before is done.

// CHECK:      %r = dycl.scope "try" -> (!dycl.value) {
// CHECK:        %0 = dycl.scope "raised" -> (!dycl.value) {
// CHECK:          dycl.for %i in %items {
// CHECK:            dycl.if %p {
// CHECK-NEXT:         dycl.leave "raised" %i
// CHECK:            dycl.if %i {
// CHECK-NEXT:         dycl.raise "builtins.KeyError"()
// CHECK:          dycl.if %p {
// CHECK-NEXT:       dycl.leave "try" %y
// CHECK:          dycl.leave "try" %x
// CHECK:        dycl.leave "try" %y
func.func @forward(%p: !dycl.value, %items: !dycl.value, %x: !dycl.value, %y: !dycl.value) attributes {dycl.entry} {
  %r = dycl.try -> (!dycl.value) {
    dycl.for %i in %items {
      dycl.if %p {
        dycl.raise "mine.Odd" as "builtins.ValueError"(%i) {dycl.classes = ["mine.Base"]}
      }
      dycl.if %i {
        dycl.raise "builtins.KeyError"()
      }
    }
    dycl.if %p {
      dycl.raise "mine.Base" as "builtins.Exception"()
    }
    dycl.yield %x
  } except "mine.Base" {
    dycl.yield %y
  }
  dycl.return %r
}
