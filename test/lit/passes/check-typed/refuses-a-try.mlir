// REQUIRES: torch
// RUN: not dycl-opt --dycl-check-typed %s 2>&1 | filecheck %s

// What is refused inside is why it could not be settled; only that is said.

// CHECK-NOT:  `try` cannot be compiled
// CHECK:      error: no lambdas
// CHECK-NOT:  error:
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  %y = dycl.try -> (!dycl.value) {
    %a = dycl.unsupported "DY101" "no lambdas" "use a def"
    dycl.yield %a
  } except "?" {
    dycl.yield %x : (!torch.vtensor<[2],f32>) -> ()
  }
  dycl.return %y
}
