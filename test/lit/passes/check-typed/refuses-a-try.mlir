// REQUIRES: torch
// RUN: not dycl-opt --dycl-check-typed %s 2>&1 | filecheck %s

// One that could not be settled is refused at its line, with what is refused inside.

// CHECK:      :11:3: error: `try` cannot be compiled: which handler runs is not known
// CHECK:      = help: test the condition with `if` instead
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
