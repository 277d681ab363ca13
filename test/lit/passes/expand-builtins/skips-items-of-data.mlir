// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// What is in the list is not known here.

// CHECK: dycl.call %any(%l)
func.func @forward(%l: !dycl.value) attributes {dycl.entry} {
  %any = dycl.constant #dycl.global<"builtins.any">
  %r = dycl.call %any(%l)
  dycl.return %r
}
