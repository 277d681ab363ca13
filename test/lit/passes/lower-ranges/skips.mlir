// RUN: dycl-opt --dycl-lower-ranges --verify-diagnostics %s | filecheck %s

// A known range, a float, a step from the data, bounds that are not typed yet; no range.

// CHECK-NOT:     dycl.while
// CHECK-COUNT-5: dycl.for
func.func @forward(%n: !torch.int, %f: !torch.float, %v: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %three = dycl.constant 3 : i64
  %a = dycl.call %range(%three)
  dycl.for %i in %a {
    dycl.setattr %i "seen", %i
  }
  %b = dycl.call %range(%f) : (!dycl.value, !torch.float) -> !dycl.value
  // expected-remark @+1 {{not counted: a bound of the range is not known to be an int}}
  dycl.for %i_1 in %b {
    dycl.setattr %i_1 "seen", %i_1
  }
  %c = dycl.call %range(%three, %three, %n) : (!dycl.value, !dycl.value, !dycl.value, !torch.int) -> !dycl.value
  // expected-remark @+1 {{not counted: the step of the range is not known, or it is 0}}
  dycl.for %i_2 in %c {
    dycl.setattr %i_2 "seen", %i_2
  }
  %d = dycl.call %range(%v)
  // expected-remark @+1 {{not counted: a bound of the range is not known to be an int}}
  dycl.for %i_3 in %d {
    dycl.setattr %i_3 "seen", %i_3
  }
  // expected-remark @+1 {{not counted: it iterates over no range, list or tensor of data-dependent length}}
  dycl.for %i_4 in %v {
    dycl.setattr %i_4 "seen", %i_4
  }
  dycl.return %n : (!torch.int) -> ()
}
