// RUN: dycl-opt --dycl-expand-builtins %s | filecheck %s

// The tensor that is made for `out` says the dtype; one with another use stays.

// CHECK:      dycl.call %arange(%n, dtype = %{{.*}})
// CHECK:      dycl.call %arange(%n, out = %t)
func.func @forward(%n: !torch.int) attributes {dycl.entry} {
  %arange = dycl.constant #dycl.global<"torch.arange">
  %class = dycl.constant #dycl.global<"torch.LongTensor">
  %s = dycl.call %class(%n) : (!dycl.value, !torch.int) -> !torch.vtensor<[?],si64>
  %a = dycl.call %arange(%n, "out" = %s) : (!dycl.value, !torch.int, !torch.vtensor<[?],si64>) -> !dycl.value
  %t = dycl.call %class(%n) : (!dycl.value, !torch.int) -> !torch.vtensor<[?],si64>
  %b = dycl.call %arange(%n, "out" = %t) : (!dycl.value, !torch.int, !torch.vtensor<[?],si64>) -> !dycl.value
  %c = dycl.invoke %t "clone"() : (!torch.vtensor<[?],si64>) -> !dycl.value
  dycl.return %a, %b, %c
}
