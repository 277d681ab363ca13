// RUN: dycl-opt --dycl-guess-lengths %s | filecheck %s

// A tuple that an iteration makes anew has as many items as the one before the loop, so
// it is unpacked into as many; the program is set aside for the case that it has not.

// CHECK-LABEL: func.func @forward(
// CHECK-SAME:    dycl.unguessed = @forward.unguessed
// CHECK:         dycl.while carry({{.*}} = %a, {{.*}} = %b) {
// CHECK:           [[W:%.*]] = dycl.call %f(
// CHECK-NEXT:      [[X:%.*]], [[Y:%.*]] = dycl.unpack [[W]] -> 2 {dycl.guessed}
// CHECK:           dycl.yield {{.*}}, [[X]], [[Y]]
// CHECK:         } {dycl.guessed}
// CHECK-LABEL: func.func @forward.unguessed(
// CHECK:           dycl.yield %w
// CHECK:         } {dycl.guessed}
func.func @forward(%a: !dycl.value, %b: !dycl.value, %p: !dycl.value, %f: !dycl.value)
    attributes {dycl.entry} {
  %t = dycl.tuple(%a, %b)
  %r = dycl.while carry(%u = %t) {
    dycl.condition %p, %u
  } do(%v) {
    %w = dycl.call %f(%v)
    dycl.yield %w
  }
  dycl.return %r
}
