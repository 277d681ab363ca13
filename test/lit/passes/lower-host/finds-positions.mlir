// RUN: dycl-opt --dycl-lower-host %s | dycl-opt | filecheck %s

// CHECK:      %k = dycl.position %n in 4 : i64 else "IndexError: list index out of range" : (i64) -> i64
// CHECK-NEXT: %p = dycl.position %f in #dycl.tuple<[1 : i64, 2.500000e+00 : f64]> : (f64) -> i64
func.func @forward(%n: !torch.int, %f: !torch.float) attributes {dycl.entry} {
  %k = dycl.position %n in 4 : i64 else "IndexError: list index out of range" : (!torch.int) -> !torch.int
  %p = dycl.position %f in #dycl.tuple<[1 : i64, 2.5 : f64]> : (!torch.float) -> !torch.int
  dycl.return %k, %p : (!torch.int, !torch.int) -> ()
}
