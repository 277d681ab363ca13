// RUN: dycl-opt --cse -p canonicalize --dce --print-ir-after-change %s 2>&1 | filecheck %s
// RUN: dycl-opt -p canonicalize --dce --cse --print-ir-after-change %s 2>&1 | filecheck %s --check-prefix=OTHER

// `--pass` flags and `-p` mix; passes run as written, and the file is not swallowed.

// CHECK:      // ---- cse (no change)
// CHECK-NEXT: // ---- canonicalize (no change)
// CHECK-NEXT: // ---- dce (no change)

// OTHER:      // ---- canonicalize (no change)
// OTHER-NEXT: // ---- dce (no change)
// OTHER-NEXT: // ---- cse (no change)
func.func @f(%x: i32) -> i32 {
  func.return %x : i32
}
