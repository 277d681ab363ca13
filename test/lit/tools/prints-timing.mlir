// RUN: dycl-opt --cse --dce --timing %s 2>&1 >/dev/null | filecheck %s

// CHECK:      seconds share runs step
// CHECK-NEXT: {{[0-9.]+ +[0-9.]+% +}}1 parse
// CHECK-NEXT: {{[0-9.]+ +[0-9.]+% +}}1 cse
// CHECK-NEXT: {{[0-9.]+ +[0-9.]+% +}}1 dce
// CHECK-NEXT: {{[0-9.]+ +[0-9.]+% +}}1 print
// CHECK-NEXT: {{[0-9.]+}} 100.0% total
func.func @f() {
  func.return
}
