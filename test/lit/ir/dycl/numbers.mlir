// RUN: dycl-opt %s | dycl-opt | filecheck %s

// Functions of numbers, and a tensor's numbers as a sequence.

// CHECK-LABEL: func.func @numbers
func.func @numbers(%a: !torch.float, %t: !torch.vtensor<[2],f32>) attributes {dycl.entry} {
  // CHECK-NEXT: %b = dycl.builtin "math.sqrt"(%a) : (!torch.float) -> !torch.float
  %b = dycl.builtin "math.sqrt"(%a) : (!torch.float) -> !torch.float
  // CHECK-NEXT: %s = dycl.tolist %t : (!torch.vtensor<[2],f32>) -> !dycl.sequence<!torch.float>
  %s = dycl.tolist %t : (!torch.vtensor<[2],f32>) -> !dycl.sequence<!torch.float>
  dycl.return
}
