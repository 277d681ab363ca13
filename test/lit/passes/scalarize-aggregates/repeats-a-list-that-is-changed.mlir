// RUN: dycl-opt --dycl-scalarize-aggregates --dycl-scalarize-aggregates --dycl-eliminate-dead-code %s | filecheck %s

// `[False] * 2`, of which an item is set, is a list as any other.

// CHECK:      func.func @forward(%x: !dycl.value)
// CHECK-NEXT:   [[F:%.*]] = dycl.constant false
// CHECK-NEXT:   [[A:%.*]] = dycl.list(%x, [[F]])
// CHECK-NEXT:   dycl.return [[A]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %zero = dycl.constant 0 : i64
  %two = dycl.constant 2 : i64
  %one = dycl.constant [false]
  %flags = dycl.binary mul %one, %two
  dycl.store_subscript %flags[%zero], %x
  dycl.return %flags
}
