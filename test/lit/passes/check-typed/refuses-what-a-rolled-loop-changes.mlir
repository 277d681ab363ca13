// RUN: dycl-opt --dycl-check-typed --split-input-file --verify-diagnostics %s

// An `if` on the number of an iteration is none of the data.

func.func @forward(%x: !torch.vtensor<[4],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %zero = dycl.constant 0 : i64 -> !torch.int
  %one = dycl.constant 1 : i64 -> !torch.int
  // expected-error@+1 {{each iteration of this loop asks for its number}}
  %n = dycl.while carry(%i : !torch.int = %zero : !torch.int) {
    %p = dycl.compare lt %i, %one : (!torch.int, !torch.int) -> !torch.bool
    dycl.condition %p, %i : (!torch.bool, !torch.int) -> ()
  } do(%j) {
    %k = dycl.binary add %j, %one : (!torch.int, !torch.int) -> !torch.int
    %q = dycl.compare lt %k, %one : (!torch.int, !torch.int) -> !torch.bool
    dycl.if %q : !torch.bool {
      dycl.effect "builtins.print"(%k) : (!torch.int) -> ()
    }
    dycl.yield %k : (!torch.int) -> ()
  } {rolled}
  dycl.return %x {structure = #dycl.leaf<0>} : (!torch.vtensor<[4],f32>) -> ()
}

// -----

// Another number than that of the iteration may become too large for the host.

func.func @forward(%x: !torch.vtensor<[4],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %zero = dycl.constant 0 : i64 -> !torch.int
  %one = dycl.constant 1 : i64 -> !torch.int
  // expected-error@+1 {{each iteration of this loop counts in a variable}}
  %n, %m = dycl.while carry(%i : !torch.int = %zero : !torch.int, %a : !torch.int = %one : !torch.int) {
    %p = dycl.compare lt %i, %one : (!torch.int, !torch.int) -> !torch.bool
    dycl.condition %p, %i, %a : (!torch.bool, !torch.int, !torch.int) -> ()
  } do(%j, %b) {
    %k = dycl.binary add %j, %one : (!torch.int, !torch.int) -> !torch.int
    %c = dycl.binary add %b, %b : (!torch.int, !torch.int) -> !torch.int
    dycl.yield %k, %c : (!torch.int, !torch.int) -> ()
  } {rolled}
  dycl.return %m {structure = #dycl.leaf<0>} : (!torch.int) -> ()
}

// -----

func.func @forward(%x: !torch.vtensor<[4],f32>) attributes {dycl.entry, dycl.params = ["x"]} {
  %zero = dycl.constant 0 : i64 -> !torch.int
  %one = dycl.constant 1 : i64 -> !torch.int
  %open = dycl.cast %x : (!torch.vtensor<[4],f32>) -> !torch.vtensor<[?],f32>
  // expected-error@+1 {{each iteration of this loop makes another size}}
  %n, %m = dycl.while carry(%i : !torch.int = %zero : !torch.int, %a : !torch.vtensor<[?],f32> = %open : !torch.vtensor<[?],f32>) {
    %p = dycl.compare lt %i, %one : (!torch.int, !torch.int) -> !torch.bool
    dycl.condition %p, %i, %a : (!torch.bool, !torch.int, !torch.vtensor<[?],f32>) -> ()
  } do(%j, %b) {
    %k = dycl.binary add %j, %one : (!torch.int, !torch.int) -> !torch.int
    dycl.yield %k, %b : (!torch.int, !torch.vtensor<[?],f32>) -> ()
  } {rolled}
  dycl.return %m {structure = #dycl.leaf<0>} : (!torch.vtensor<[?],f32>) -> ()
}
