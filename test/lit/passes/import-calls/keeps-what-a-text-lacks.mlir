// RUN: dycl-opt %s --dycl-inline-calls --dycl-import-calls | filecheck %s
// RUN: not dycl-opt %s -p normalise 2>&1 | filecheck %s --check-prefix=REFUSED

// A program that is read from a text has all the functions that it ever will. What
// waits for another one is left; it is refused only where it still stands at the end.

builtin.module {
  dycl.object @"" "m.Net" {flag = false, forward = #dycl.function<@m.forward>, lost = #dycl.function<@m.lost>, other = #dycl.function<@m.other>}
  func.func @forward(%x: !torch.vtensor<[2],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
    %0 = dycl.constant @""
    %1 = dycl.call %0(%x) : (!dycl.value, !torch.vtensor<[2],f32>) -> !dycl.value
    dycl.return %1
  }
  func.func @m.forward(%self: !dycl.value, %x: !dycl.value) -> !dycl.value attributes {dycl.params = ["self", "x"]} {
    %flag = dycl.getattr %self "flag"
    %t = dycl.to_bool %flag
    dycl.if %t {
      %never = dycl.invoke %self "other"(%x)
      dycl.return %never
    }
    %y = dycl.invoke %self "lost"(%x)
    dycl.return %y
  }
}

// CHECK:      dycl.invoke {{.*}} "other"({{.*}}) {dycl.awaits = "m.other"}
// CHECK:      dycl.invoke {{.*}} "lost"({{.*}}) {dycl.awaits = "m.lost"}
// REFUSED-NOT: m.other
// REFUSED:     error: this calls `m.lost`, which is not in the module [DY201]
