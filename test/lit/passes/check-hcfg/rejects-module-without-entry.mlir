// RUN: dycl-opt --dycl-check-hcfg --split-input-file --verify-diagnostics %s

// There is one host function.

// expected-error {{there must be one host function, marked `dycl.entry`; this module has 0}}
func.func @forward() {
  dycl.return
}
