// RUN: dycl-opt --dycl-raise-failures --remarks %s 2>&1 | filecheck %s

// What every run gets to is refused later; the handlers of a `try` see what is raised.

builtin.module {
  func.func @forward(%a: !torch.vtensor<[2],f32>, %b: !torch.vtensor<[3],f32>) attributes {dycl.entry, dycl.params = ["a", "b"]} {
    %r = dycl.try -> (!dycl.value) {
      %y = dycl.binary add %a, %b : (!torch.vtensor<[2],f32>, !torch.vtensor<[3],f32>) -> !dycl.value
      dycl.yield %y
    } except "RuntimeError" {
      dycl.yield %a : (!torch.vtensor<[2],f32>) -> ()
    }
    %z = dycl.binary mul %a, %b : (!torch.vtensor<[2],f32>, !torch.vtensor<[3],f32>) -> !dycl.value
    dycl.return %z
  }
}

// CHECK: dycl.binary add
// CHECK: dycl.binary mul
// CHECK: remark: not left to the run: it is inside a `try`
// CHECK: remark: not left to the run: every run gets here
