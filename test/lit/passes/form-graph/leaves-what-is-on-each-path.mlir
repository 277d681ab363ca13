// RUN: dycl-opt --dycl-form-graph --split-input-file %s | filecheck %s

// CHECK-LABEL: host.func @prints
host.func @prints() params [] {
  %why = dycl.constant "why" -> !host.str
  dycl.effect "builtins.print"(%why) : (!host.str) -> ()
  dycl.return
}

// -----

// CHECK-LABEL: host.func @lists
host.func @lists(%n: i64) params ["n"] {
  %l = dycl.sequence(%n) : (i64) -> !dycl.sequence<i64>
  dycl.return %l : (!dycl.sequence<i64>) -> ()
}

// -----

// CHECK-LABEL: host.func @computes
host.func @computes(%n: f64) params ["n"] {
  %e = dycl.builtin "math.exp"(%n) : (f64) -> f64
  dycl.return %e : (f64) -> ()
}

// -----

// CHECK-LABEL: host.func @sizes
host.func @sizes(%x: memref<?xf32>) params ["x"] {
  dycl.return %x : (memref<?xf32>) -> ()
}
