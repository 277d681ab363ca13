// REQUIRES: torch
// RUN: dycl-opt --dycl-infer-shapes %s | filecheck %s

// Loops, calls of the user's functions and what derives from them stay untyped, and so
// does a list that a loop may change.

func.func @f(%x: !dycl.value) -> !dycl.value attributes {dycl.params = ["x"]} {
  dycl.return %x
}

// CHECK-LABEL: func.func @forward
// CHECK:         %y = dycl.call %f(%x) {{.*}} -> !dycl.value
// CHECK:         %z = dycl.binary add %y, %y{{$}}
// CHECK:         %first = dycl.subscript %l[%zero] : (!dycl.value, !torch.int) -> !dycl.value
func.func @forward(%x: !torch.vtensor<[3],f32>, %k: !dycl.value) attributes {dycl.entry} {
  %f = dycl.constant #dycl.function<@f>
  %zero = dycl.constant 0 : i64
  %y = dycl.call %f(%x) : (!dycl.value, !torch.vtensor<[3],f32>) -> !dycl.value
  %z = dycl.binary add %y, %y
  %l = dycl.list(%x) : (!torch.vtensor<[3],f32>) -> !dycl.value
  %r = dycl.for %i in %k carry(%c = %z) {
    %n = dycl.invoke %l "append"(%c)
    dycl.yield %c
  }
  %first = dycl.subscript %l[%zero]
  %t = dycl.tuple(%r, %first)
  dycl.return %t
}
