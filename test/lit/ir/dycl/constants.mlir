// RUN: dycl-opt %s | dycl-opt | filecheck %s

// A constant holds any Python value that has an attribute; its type is left out.

func.func @f() -> !dycl.value {
  // CHECK: %none = dycl.constant #dycl.none
  %none = dycl.constant #dycl.none
  // CHECK-NEXT: %yes = dycl.constant true
  %yes = dycl.constant true
  // CHECK-NEXT: %three = dycl.constant -3 : i64
  %three = dycl.constant -3 : i64
  // CHECK-NEXT: %half = dycl.constant 5.000000e-01 : f64
  %half = dycl.constant 0.5 : f64
  // CHECK-NEXT: %nan = dycl.constant 0x7ff8000000000000 : f64
  %nan = dycl.constant 0x7ff8000000000000 : f64
  // CHECK-NEXT: %text = dycl.constant "a\22b"
  %text = dycl.constant "a\22b"
  // CHECK-NEXT: %list = dycl.constant [1 : i64, "x", [], #dycl.none]
  %list = dycl.constant [1 : i64, "x", [], #dycl.none]
  // CHECK-NEXT: %tuple = dycl.constant #dycl.tuple<[true, #dycl.tuple<[]>]>
  %tuple = dycl.constant #dycl.tuple<[true, #dycl.tuple<[]>]>
  // CHECK-NEXT: %dict = dycl.constant #dycl.dict<["k", 1 : i64]>
  %dict = dycl.constant #dycl.dict<["k", 1 : i64]>
  // CHECK-NEXT: %range = dycl.constant #dycl.range<8, 0, -2>
  %range = dycl.constant #dycl.range<8, 0, -2>
  // CHECK-NEXT: %array = dycl.constant #dycl.numpy<"float32", [1 : i64, 2 : i64], [1.000000e+00 : f64, -2.000000e+00 : f64]>
  %array = dycl.constant #dycl.numpy<"float32", [1 : i64, 2 : i64], [1.0 : f64, -2.0 : f64]>
  // CHECK-NEXT: %number = dycl.constant #dycl.numpy<"int64", #dycl.none, [3 : i64]>
  %number = dycl.constant #dycl.numpy<"int64", #dycl.none, [3 : i64]>
  // CHECK-NEXT: %root = dycl.constant @""
  %root = dycl.constant @""
  // CHECK-NEXT: %object = dycl.constant @blocks.0
  %object = dycl.constant @"blocks.0"
  // CHECK-NEXT: %function = dycl.constant #dycl.function<@net.f>
  %function = dycl.constant #dycl.function<@"net.f">
  // CHECK-NEXT: %method = dycl.constant #dycl.method<@net.f, @blocks>
  %method = dycl.constant #dycl.method<@"net.f", @blocks>
  // CHECK-NEXT: %global = dycl.constant #dycl.global<"torch.relu">
  %global = dycl.constant #dycl.global<"torch.relu">
  // CHECK-NEXT: %device = dycl.constant #dycl.device<"cpu">
  %device = dycl.constant #dycl.device<"cpu">
  // CHECK-NEXT: %why = dycl.constant #dycl.unsupported<"a lambda">
  %why = dycl.constant #dycl.unsupported<"a lambda">
  // CHECK-NEXT: %leaf = dycl.constant #dycl.leaf<2>
  %leaf = dycl.constant #dycl.leaf<2>
  // CHECK-NEXT: %param = dycl.constant #dycl.param<"a.weight", [16 : i64, 3 : i64], f32>
  %param = dycl.constant #dycl.param<"a.weight", [16 : i64, 3 : i64], f32>
  // CHECK-NEXT: %dense = dycl.constant dense<[1, 2]> : tensor<2xi64>
  %dense = dycl.constant dense<[1, 2]> : tensor<2xi64>
  // CHECK-NEXT: %typed = dycl.constant 1 : i64 -> !torch.int
  %typed = dycl.constant 1 : i64 -> !torch.int
  // CHECK-NEXT: %marked = dycl.constant 1 : i64 {note = "kept"} -> !torch.int
  %marked = dycl.constant 1 : i64 {note = "kept"} -> !torch.int
  dycl.return %none
}
