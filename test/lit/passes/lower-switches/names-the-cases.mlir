// RUN: dycl-opt --dycl-lower-switches %s | filecheck %s

// CHECK-DAG: {test = "mode in ('a', 'b')"}
// CHECK-DAG: {test = "mode == 'a'"}
// CHECK-DAG: {test = "mode == 'c'"}
func.func @forward(%k: !torch.int) attributes {dycl.entry} {
  dycl.switch %k : !torch.int case 0 {
    dycl.setattr %k "a", %k : (!torch.int, !torch.int) -> ()
  } case 1 {
    dycl.setattr %k "b", %k : (!torch.int, !torch.int) -> ()
  } case 2 {
    dycl.setattr %k "c", %k : (!torch.int, !torch.int) -> ()
  } default {
    dycl.setattr %k "d", %k : (!torch.int, !torch.int) -> ()
  } {cases = ["'a'", "'b'", "'c'", "'d'"], test = "mode"}
  dycl.return %k : (!torch.int) -> ()
}
