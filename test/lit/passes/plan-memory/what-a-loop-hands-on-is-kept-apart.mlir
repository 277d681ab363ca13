// RUN: dycl-opt --dycl-plan-memory %s | filecheck %s

// The kept value has two places, which are needed for as long as the loop runs.
// CHECK:      attributes {arena = 192 : i64}
// CHECK:        %a = host.alloc {offset = 128 : i64}
// CHECK:        %k = host.keep %a {offset = 0 : i64}
host.func @f(%x: memref<4xf32>, %n: i64) params ["x", "n"] {
  %zero = dycl.constant 0 : i64 -> i64
  %one = dycl.constant 1 : i64 -> i64
  %i, %y = dycl.while carry(%j : i64 = %zero : i64, %z : memref<4xf32> = %x : memref<4xf32>) {
    %c = dycl.compare lt %j, %n : (i64, i64) -> i1
    dycl.condition %c, %j, %z : (i1, i64, memref<4xf32>) -> ()
  } do(%l, %w) {
    %a = host.alloc : memref<4xf32>
    host.launch @k ins(%w : memref<4xf32>) outs(%a : memref<4xf32>)
    %m = dycl.binary add %l, %one : (i64, i64) -> i64
    %k = host.keep %a : memref<4xf32> -> memref<4xf32>
    dycl.yield %m, %k : (i64, memref<4xf32>) -> ()
  } {test = "i < n"}
  dycl.return %y : (memref<4xf32>) -> ()
}
