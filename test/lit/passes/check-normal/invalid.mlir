// RUN: not dycl-opt --dycl-check-normal %s 2>&1 | filecheck %s

// Each rule of the normal form that does not hold is one sentence.

// CHECK: error: the model has no attribute `threshold`
// CHECK: error: the call of `f` was not inlined
// CHECK: error: the call of `net.Net` was not inlined
// CHECK: error: this loop over known items was not unrolled
// CHECK: error: this `if` is decided without the input, but was not removed
// CHECK: error: the list `log` of the model is changed while the network runs
// CHECK: error: the attribute `n` is set while the network runs
dycl.object @"" "net.Net" {forward = #dycl.function<@f>, log = []}
func.func @f(%x: !dycl.value) -> !dycl.value {
  dycl.return %x
}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @""
  %t = dycl.getattr %m "threshold"
  %f = dycl.constant #dycl.function<@f>
  %a = dycl.call %f(%x)
  %b = dycl.call %m(%a)
  %l = dycl.constant [1 : i64, 2 : i64]
  %c = dycl.for %i in %l carry(%s = %b) {
    dycl.yield %i
  }
  %true = dycl.constant true
  dycl.if %true { dycl.return %c }
  %log = dycl.getattr %m "log"
  %n = dycl.invoke %log "append"(%c)
  dycl.setattr %m "n", %c
  dycl.return %t
}
