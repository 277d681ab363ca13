// RUN: dycl-opt --dycl-lower-host %s | filecheck %s

// Arithmetic on numbers keeps its kind and its types.

// CHECK:       %d = dycl.binary floordiv %n, %f : (i64, f64) -> f64
// CHECK-NEXT:  %m = dycl.unary neg %d : (f64) -> f64
// CHECK-NEXT:  %c = dycl.compare ne %m, %f : (f64, f64) -> i1
// CHECK-NEXT:  %t = dycl.to_bool %n : (i64) -> i1
// CHECK-NEXT:  %s = dycl.select %c, %m, %f : (i1, f64, f64) -> f64
func.func @forward(%n: !torch.int, %f: !torch.float) attributes {dycl.entry} {
  %d = dycl.binary floordiv %n, %f : (!torch.int, !torch.float) -> !torch.float
  %m = dycl.unary neg %d : (!torch.float) -> !torch.float
  %c = dycl.compare ne %m, %f : (!torch.float, !torch.float) -> !torch.bool
  %t = dycl.to_bool %n : (!torch.int) -> !torch.bool
  %s = dycl.select %c, %m, %f : (!torch.bool, !torch.float, !torch.float) -> !torch.float
  dycl.return %s, %t : (!torch.float, !torch.bool) -> ()
}
