// RUN: dycl-opt --verify-diagnostics %s

// What is left of a line behind an op is no op: xDSL's own message says only where.

func.func @f(%x: i64) {
  // expected-error@+1 {{an op, a block or the end of the region is expected here}}
  %c = dycl.constant #dycl.global<"a"> : i64
  func.return
}
