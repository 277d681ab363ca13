// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// Functions and objects stay if the entry function leads to them.

// CHECK: builtin.module {
// CHECK-NEXT:   dycl.object @a "net.A" {child = @b}
// CHECK-NEXT:   dycl.object @b "net.B" {forward = #dycl.function<@used>}
// CHECK-NEXT:   func.func @used
// CHECK-NOT:    unused
dycl.object @a "net.A" {child = @b}
dycl.object @b "net.B" {forward = #dycl.function<@used>}
dycl.object @unused "net.C" {}
func.func @used(%x: !dycl.value) -> !dycl.value {
  dycl.return %x
}
func.func @unused_function(%x: !dycl.value) -> !dycl.value {
  dycl.return %x
}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %a = dycl.constant @a
  %y = dycl.call %a(%x)
  dycl.return %y
}
