// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// What is called is not known yet: the call stays.

// CHECK-LABEL: func.func @forward
// CHECK-NEXT:    %y = dycl.call %x(%x)
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %y = dycl.call %x(%x)
  dycl.return %y
}
