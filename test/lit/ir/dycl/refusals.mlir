// RUN: dycl-opt %s | dycl-opt | filecheck %s

func.func @f() -> !dycl.value {
  // CHECK: %u = dycl.unbound "x"
  %u = dycl.unbound "x"
  // CHECK-NEXT: %r = dycl.unsupported "DY103" "a generator" "write a list"
  %r = dycl.unsupported "DY103" "a generator" "write a list"
  // CHECK-NEXT: dycl.unreachable
  dycl.unreachable
}
