// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// The sum of no floats is an int, 0: that is another side. Of ints it is no other type.

// CHECK-LABEL: func.func @forward
// CHECK:         [[F:%.*]] = dycl.if
// CHECK:           dycl.for {{%.*}} in
// CHECK:         } else {
// CHECK:         [[I:%.*]] = dycl.for {{%.*}} in %i
// CHECK:         [[A:%.*]] = dycl.for {{%.*}} in %i
// CHECK:           dycl.select
// CHECK:         dycl.return [[F]], [[I]], [[A]]
func.func @forward(%f: !dycl.sequence<!torch.float>, %i: !dycl.sequence<!torch.int>) attributes {dycl.entry} {
  %sum = dycl.constant #dycl.global<"builtins.sum">
  %any = dycl.constant #dycl.global<"builtins.any">
  %0 = dycl.call %sum(%f) : (!dycl.value, !dycl.sequence<!torch.float>) -> !dycl.value
  %1 = dycl.call %sum(%i) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.value
  %2 = dycl.call %any(%i) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.value
  dycl.return %0, %1, %2
}
