// RUN: dycl-opt %s --dycl-raise-failures | filecheck %s

// However many rows there are, there are four columns.

builtin.module {
  func.func @forward(%p: !dycl.value, %a: !torch.vtensor<[?,4],f32>) attributes {dycl.entry, dycl.params = ["p", "a"]} {
    dycl.if %p {
      %none = dycl.constant #dycl.none
      %all = dycl.slice(%none, %none, %none)
      %seven = dycl.constant 7 : i64
      %i = dycl.tuple(%all, %seven)
      %y = dycl.subscript %a[%i] : (!torch.vtensor<[?,4],f32>, !dycl.value) -> !dycl.value
      dycl.return %y
    } else {
      dycl.yield
    }
    dycl.return %a : (!torch.vtensor<[?,4],f32>) -> ()
  }
}

// CHECK:      [[TEXT:%[0-9]+]] = dycl.constant "index 7 is out of bounds for dimension 1 with size 4"
// CHECK-NEXT: dycl.raise "builtins.IndexError"([[TEXT]])
// CHECK-NEXT: }
