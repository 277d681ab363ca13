// RUN: dycl-opt --dycl-form-graph --split-input-file --verify-diagnostics %s | filecheck %s

// CHECK-LABEL: host.func @prints
host.func @prints() params [] {
  %why = dycl.constant "why" -> !host.str
  // expected-remark@+1 {{not on the device: `builtins.print` is called on the host}}
  dycl.effect "builtins.print"(%why) : (!host.str) -> ()
  dycl.return
}

// -----

// CHECK-LABEL: host.func @lists
host.func @lists(%n: i64) params ["n"] {
  // expected-remark@+2 {{not on the device: a list whose length the data decides is on the host}}
  // expected-remark@+1 {{not on the device: dycl.sequence gives what is of type !dycl.sequence<i64>}}
  %l = dycl.sequence(%n) : (i64) -> !dycl.sequence<i64>
  // expected-remark@+1 {{not on the device: a value of type !dycl.sequence<i64> is returned by the host}}
  dycl.return %l : (!dycl.sequence<i64>) -> ()
}

// -----

// CHECK-LABEL: host.func @computes
host.func @computes(%n: f64) params ["n"] {
  // expected-remark@+1 {{not on the device: `math.exp` is computed by the host}}
  %e = dycl.builtin "math.exp"(%n) : (f64) -> f64
  dycl.return %e : (f64) -> ()
}

// -----

// CHECK-LABEL: host.func @views
host.func @views(%x: memref<1x?xf32>) params ["x"] {
  // expected-remark@+1 {{not on the device: a view has a size that only a run decides}}
  %v = host.view %x : memref<1x?xf32> -> memref<?xf32>
  dycl.return %v : (memref<?xf32>) -> ()
}

// -----

// CHECK-LABEL: host.func @grows
host.func @grows(%x: memref<?xf32>, %p: memref<i1>) params ["x", "p"] {
  // expected-remark@+1 {{not on the device: a loop hands on a tensor whose size may grow}}
  %r = dycl.while carry(%a : memref<?xf32> = %x : memref<?xf32>) {
    %go = host.read %p : memref<i1> -> i1
    dycl.condition %go, %a : (i1, memref<?xf32>) -> ()
  } do(%b) {
    %y = host.alloc : memref<?xf32>
    host.launch @k ins(%b : memref<?xf32>) outs(%y : memref<?xf32>)
    dycl.yield %y : (memref<?xf32>) -> ()
  }
  dycl.return %r : (memref<?xf32>) -> ()
}
