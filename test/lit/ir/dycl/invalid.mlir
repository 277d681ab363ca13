// RUN: dycl-opt %s --verify-diagnostics --split-input-file

func.func @kind(%a: !dycl.value) {
  // expected-error@+1 {{no kind 'cube'}}
  %x = "dycl.unary"(%a) <{kind = "cube"}> : (!dycl.value) -> !dycl.value
  dycl.return
}

// -----

func.func @if_yields_too_little(%p: !dycl.value) {
  // expected-error@+1 {{the else branch yields (), but dycl.if returns (!dycl.value)}}
  %x = dycl.if %p -> (!dycl.value) { dycl.yield %p }
  dycl.return
}

// -----

func.func @if_yields_another_type(%p: !torch.bool, %n: !torch.int) {
  // expected-error@+1 {{the then branch yields (!torch.bool), but dycl.if returns (!torch.int)}}
  %x = dycl.if %p : !torch.bool -> (!torch.int) {
    dycl.yield %p : (!torch.bool) -> ()
  } else {
    dycl.yield %n : (!torch.int) -> ()
  }
  dycl.return
}

// -----

func.func @for_carries_what_it_does_not_yield(%xs: !dycl.value) {
  // expected-error@+1 {{the body yields (), but dycl.for returns (!dycl.value)}}
  %x = dycl.for %i in %xs carry(%y = %xs) { dycl.yield }
  dycl.return
}

// -----

func.func @while_needs_a_condition(%a: !dycl.value) {
  // expected-error@+1 {{the first region must end in dycl.condition}}
  dycl.while { dycl.return %a } do { dycl.break }
  dycl.return
}

// -----

func.func @scope_does_not_fall_through(%a: !dycl.value) {
  // expected-error@+1 {{'dycl.yield' expects parent op to be one of}}
  dycl.scope "call" { dycl.yield }
  dycl.return
}

// -----

func.func @use_before_definition() {
  // expected-error@+1 {{operand #0 of 'dycl.unary' is used before its definition}}
  %x = dycl.unary neg %y
  %y = dycl.constant 1 : i64
  dycl.return
}

// -----

func.func @switch_arms_yield_the_results(%k: !dycl.value) {
  // expected-error@+1 {{arm 1 yields (), but dycl.switch returns (!dycl.value)}}
  %r = dycl.switch %k -> (!dycl.value) case 0 { dycl.yield %k } default { dycl.yield }
  dycl.return
}
