// RUN: not dycl-opt --dycl-check-typed %s 2>&1 | filecheck %s

// No run returns: the inputs are wrong, or the program is.

// CHECK: error: every run with inputs of these types raises something, some KeyError
// CHECK: error: every run with inputs of these types raises something, some ValueError: bad
func.func @forward(%p: !torch.bool) attributes {dycl.entry} {
  dycl.if %p : !torch.bool {
    dycl.raise "builtins.KeyError"()
  }
  %bad = dycl.constant "bad" -> !torch.str
  dycl.raise "builtins.ValueError"(%bad) : (!torch.str) -> ()
}
