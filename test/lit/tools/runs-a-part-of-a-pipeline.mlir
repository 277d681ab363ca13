// RUN: dycl-opt -p default --start-from=type --stop-after=dycl-expand-modules --timing %s 2>&1 | filecheck %s
// RUN: not dycl-opt -p type --stop-after=normalise %s 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not dycl-opt -p type --stop-after=dycl-check-type %s 2>&1 | filecheck %s --check-prefix=TYPO

// A phase begins at its first pass and ends at its last.

// CHECK: parse
// CHECK-NEXT: dycl-word-tensors
// CHECK-NEXT: dycl-infer-shapes
// CHECK-NEXT: dycl-return-inputs
// CHECK-NEXT: dycl-follow-writes
// CHECK-NEXT: dycl-repeat
// CHECK-NEXT: dycl-expand-number-tensors
// CHECK-NEXT: dycl-expand-modules
// CHECK-NEXT: print
// NONE: dycl-opt: error: the pipeline has no 'normalise'
// TYPO: dycl-opt: error: the pipeline has no 'dycl-check-type'; did you mean 'dycl-check-typed'?
func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  dycl.return %x : (!torch.vtensor<[2],f32>) -> ()
}
