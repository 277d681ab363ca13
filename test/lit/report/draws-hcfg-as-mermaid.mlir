// RUN: %python -m dycl.tools.cli show %s hcfg --format mermaid | filecheck %s

// An early exit stands on the `yes` side of its decision; a skipped block's two sides
// meet again. Labels are the user's words, places the user's lines.

// CHECK:      flowchart TD
// CHECK-NEXT:   n0(["forward(x)<br>net.py:8"])
// CHECK-NEXT:   n1["forward_head<br>net.py:9"]:::kernel
// CHECK-NEXT:   n2{{.*}}"p.max() #gt; 0.5<br>sure · net.py:10"{{.*}}:::decision
// CHECK-NEXT:   n3(["exit 1<br>net.py:11"]):::exit
// CHECK-NEXT:   n4{{.*}}"p.min() #lt; 0.1<br>block · net.py:12"{{.*}}:::decision
// CHECK-NEXT:   n5["forward_block_then<br>net.py:13"]:::kernel
// CHECK-NEXT:   n6(["exit 2<br>net.py:14"]):::exit
// CHECK-NEXT:   n0 --> n1
// CHECK-NEXT:   n1 --> n2
// CHECK-NEXT:   n2 -->|yes| n3
// CHECK-NEXT:   n2 -->|no| n4
// CHECK-NEXT:   n4 -->|yes| n5
// CHECK-NEXT:   n5 --> n6
// CHECK-NEXT:   n4 -->|no| n6
func.func @forward(%x: !torch.vtensor<[1,8],f32>) attributes {dycl.entry} {
  %y, %p, %q = dycl.launch @forward_head(%x) : (!torch.vtensor<[1,8],f32>) -> (!torch.vtensor<[1,8],f32>, !torch.vtensor<[],i1>, !torch.vtensor<[],i1>) loc("models/net.py":9:9)
  %sure = dycl.item %p : (!torch.vtensor<[],i1>) -> !torch.bool
  dycl.if %sure : !torch.bool {
    dycl.return %y : (!torch.vtensor<[1,8],f32>) -> () loc("models/net.py":11:13)
  } {name = "sure", test = "p.max() > 0.5"} loc("models/net.py":10:9)
  %low = dycl.item %q : (!torch.vtensor<[],i1>) -> !torch.bool
  %z = dycl.if %low : !torch.bool -> (!torch.vtensor<[1,8],f32>) {
    %w = dycl.launch @forward_block_then(%y) : (!torch.vtensor<[1,8],f32>) -> !torch.vtensor<[1,8],f32> loc("models/net.py":13:13)
    dycl.yield %w : (!torch.vtensor<[1,8],f32>) -> ()
  } else {
    dycl.yield %y : (!torch.vtensor<[1,8],f32>) -> ()
  } {name = "block", test = "p.min() < 0.1"} loc("models/net.py":12:9)
  dycl.return %z : (!torch.vtensor<[1,8],f32>) -> () loc("models/net.py":14:9)
} loc("models/net.py":8:5)
