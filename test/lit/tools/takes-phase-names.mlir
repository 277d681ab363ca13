// RUN: dycl-opt --cse --host -d dycl-lower-host -d dycl-assign-layouts -d dycl-place-copies -d dycl-plan-memory -d dycl-check-host --dce --print-ir-after-change %s 2>&1 | filecheck %s
// RUN: dycl-opt -p cse,host,dce -d dycl-lower-host -d dycl-assign-layouts -d dycl-place-copies -d dycl-plan-memory -d dycl-check-host --print-ir-after-change %s 2>&1 | filecheck %s

// A phase stands wherever a pass stands, and `-d` leaves out passes of it.

// CHECK:      // ---- cse (no change)
// CHECK-NEXT: // ---- dce (no change)
func.func @f() {
  func.return
}
