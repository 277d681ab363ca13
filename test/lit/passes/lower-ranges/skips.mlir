// RUN: dycl-opt --dycl-lower-ranges %s | filecheck %s

// A known range, a float, a step from the data, bounds that are not typed yet.

// CHECK-NOT:     dycl.while
// CHECK-COUNT-4: dycl.for
func.func @forward(%n: !torch.int, %f: !torch.float, %v: !dycl.value) attributes {dycl.entry} {
  %range = dycl.constant #dycl.global<"builtins.range">
  %three = dycl.constant 3 : i64
  %a = dycl.call %range(%three)
  dycl.for %i in %a {
    dycl.setattr %i "seen", %i
  }
  %b = dycl.call %range(%f) : (!dycl.value, !torch.float) -> !dycl.value
  dycl.for %i_1 in %b {
    dycl.setattr %i_1 "seen", %i_1
  }
  %c = dycl.call %range(%three, %three, %n) : (!dycl.value, !dycl.value, !dycl.value, !torch.int) -> !dycl.value
  dycl.for %i_2 in %c {
    dycl.setattr %i_2 "seen", %i_2
  }
  %d = dycl.call %range(%v)
  dycl.for %i_3 in %d {
    dycl.setattr %i_3 "seen", %i_3
  }
  dycl.return %n : (!torch.int) -> ()
}
