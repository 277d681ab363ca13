// RUN: dycl-opt %s | dycl-opt | filecheck %s

func.func @f(%xs: !dycl.value, %a: !dycl.value, %n: !torch.int) -> !dycl.value {
  // CHECK: dycl.for %i in %xs {
  // CHECK-NEXT: dycl.setattr %i "seen", %a
  // CHECK-NEXT: }
  dycl.for %i in %xs {
    dycl.setattr %i "seen", %a
  }
  // CHECK-NEXT: %x, %m = dycl.for %j in %xs carry(%y = %a, %k : !torch.int = %n : !torch.int) {
  // CHECK-NEXT: dycl.if %y {
  // CHECK-NEXT: dycl.break %j, %k : (!dycl.value, !torch.int) -> ()
  // CHECK-NEXT: } else {
  // CHECK-NEXT: dycl.continue %a, %k : (!dycl.value, !torch.int) -> ()
  // CHECK-NEXT: }
  // CHECK-NEXT: dycl.yield %j, %k : (!dycl.value, !torch.int) -> ()
  // CHECK-NEXT: } {note = "kept"}
  %x, %m = dycl.for %j in %xs carry(%y = %a, %k : !torch.int = %n : !torch.int) {
    dycl.if %y {
      dycl.break %j, %k : (!dycl.value, !torch.int) -> ()
    } else {
      dycl.continue %a, %k : (!dycl.value, !torch.int) -> ()
    }
    dycl.yield %j, %k : (!dycl.value, !torch.int) -> ()
  } {note = "kept"}
  // CHECK-NEXT: dycl.while {
  // CHECK-NEXT: dycl.condition %a
  // CHECK-NEXT: } do {
  // CHECK-NEXT: dycl.break
  // CHECK-NEXT: }
  dycl.while {
    dycl.condition %a
  } do {
    dycl.break
  }
  // CHECK-NEXT: %z = dycl.while carry(%v = %x) {
  // CHECK-NEXT: dycl.condition %a, %v
  // CHECK-NEXT: } do(%w) {
  // CHECK-NEXT: dycl.yield %w
  // CHECK-NEXT: }
  %z = dycl.while carry(%v = %x) {
    dycl.condition %a, %v
  } do (%w) {
    dycl.yield %w
  }
  dycl.return %z
}
