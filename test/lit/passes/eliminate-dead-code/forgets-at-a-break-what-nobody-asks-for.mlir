// RUN: dycl-opt --dycl-eliminate-dead-code %s | filecheck %s

// CHECK:     do(%n_1, %h_1)
// CHECK:       dycl.break %{{.+}}, %h_1
func.func @forward(%x: !dycl.value, %p: !dycl.value) attributes {dycl.entry} {
  %r, %unused = dycl.while carry(%n = %x, %h = %x) {
    %t = dycl.constant true
    dycl.condition %t, %n, %h
  } do(%n_1, %h_1) {
    %m = dycl.binary add %n_1, %h_1
    dycl.if %p {
      %other = dycl.constant 1 : i64
      dycl.break %m, %other
    }
    dycl.yield %m, %n_1
  }
  dycl.return %r
}
