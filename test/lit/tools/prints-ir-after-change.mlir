// RUN: dycl-opt --cse --dce --print-ir-after-change %s 2>&1 >/dev/null | filecheck %s

// A unified diff per pass, on stderr.

// CHECK:      // ---- cse
// CHECK-NEXT: @@ -1,8 +1,7 @@
// CHECK:      -    %b = arith.addi %x, %x : i32
// CHECK-NEXT: -    %c = arith.muli %a, %b : i32
// CHECK-NEXT: +    %c = arith.muli %a, %a : i32
// CHECK:      // ---- dce (no change)
func.func @f(%x: i32) -> i32 {
  %a = arith.addi %x, %x : i32
  %b = arith.addi %x, %x : i32
  %c = arith.muli %a, %b : i32
  func.return %c : i32
}
