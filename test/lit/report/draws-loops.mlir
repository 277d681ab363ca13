// RUN: %python -m dycl.tools.cli show %s hcfg --format mermaid | filecheck %s

// The test of a loop is a decision; `continue` and the end of the body lead back to what
// comes first in it, `break` to what follows the loop.

// CHECK:      flowchart TD
// CHECK-NEXT:   n0{{.*}}forward(x, q){{.*}}
// CHECK-NEXT:   n1["forward_test{{.*}}:::kernel
// CHECK-NEXT:   n2{{.*}}"x.sum() #lt; 3<br>loop 1{{.*}}:::decision
// CHECK-NEXT:   n3{{.*}}"q<br>decision 2{{.*}}:::decision
// CHECK-NEXT:   n4{{.*}}"r<br>decision 3{{.*}}:::decision
// CHECK-NEXT:   n5["forward_body{{.*}}:::kernel
// CHECK-NEXT:   n6(["exit 1{{.*}}:::exit
// CHECK-NEXT:   n0 --> n1
// CHECK-NEXT:   n1 --> n2
// CHECK-NEXT:   n2 -->|yes| n3
// CHECK-NEXT:   n3 -->|no| n4
// CHECK-NEXT:   n4 -->|no| n5
// CHECK-NEXT:   n5 -.-> n1
// CHECK-NEXT:   n4 -.->|yes| n1
// CHECK-NEXT:   n2 -->|no| n6
// CHECK-NEXT:   n3 -->|yes| n6
func.func @forward(%x: !torch.vtensor<[1],i1>, %q: !torch.bool) attributes {dycl.entry} {
  %y = dycl.while carry(%a : !torch.vtensor<[1],i1> = %x : !torch.vtensor<[1],i1>) {
    %s = dycl.launch @forward_test(%a) : (!torch.vtensor<[1],i1>) -> !torch.vtensor<[1],i1>
    %c = dycl.item %s : (!torch.vtensor<[1],i1>) -> !torch.bool
    dycl.condition %c, %a : (!torch.bool, !torch.vtensor<[1],i1>) -> ()
  } do(%b) {
    dycl.if %q : !torch.bool {
      dycl.break %b : (!torch.vtensor<[1],i1>) -> ()
    } {name = "decision 2", test = "q"}
    dycl.if %q : !torch.bool {
      dycl.continue %b : (!torch.vtensor<[1],i1>) -> ()
    } {name = "decision 3", test = "r"}
    %t = dycl.launch @forward_body(%b) : (!torch.vtensor<[1],i1>) -> !torch.vtensor<[1],i1>
    dycl.yield %t : (!torch.vtensor<[1],i1>) -> ()
  } {name = "loop 1", test = "x.sum() < 3"}
  dycl.return %y : (!torch.vtensor<[1],i1>) -> ()
}
