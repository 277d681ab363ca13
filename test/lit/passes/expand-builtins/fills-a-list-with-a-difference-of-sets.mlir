// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// CHECK:     dycl.compare gt %n, %{{.+}}
// CHECK:     dycl.raise "builtins.NotImplementedError"
// CHECK:     %rest = dycl.list()
// CHECK:     dycl.for %[[I:.+]] in
// CHECK:       %[[IN:.+]] = dycl.for
// CHECK:       dycl.if %[[IN]]
// CHECK:         dycl.invoke %rest "append"(%[[I]])
func.func @forward(%n: !torch.int, %l: !dycl.sequence<!torch.int>) attributes {dycl.entry} {
  %list = dycl.constant #dycl.global<"builtins.list">
  %set = dycl.constant #dycl.global<"builtins.set">
  %range = dycl.constant #dycl.global<"builtins.range">
  %r = dycl.call %range(%n) : (!dycl.value, !torch.int) -> !dycl.value
  %a = dycl.call %set(%r)
  %b = dycl.call %set(%l) : (!dycl.value, !dycl.sequence<!torch.int>) -> !dycl.value
  %d = dycl.binary sub %a, %b
  %rest = dycl.call %list(%d)
  dycl.return %rest
}
