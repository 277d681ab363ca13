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

// -----

func.func @break_needs_a_loop() {
  // expected-error@+1 {{there is no loop around dycl.break}}
  dycl.break
}

// -----

func.func @continue_gives_what_the_loop_carries(%a: !dycl.value) {
  dycl.for %i in %a carry(%x = %a) {
    // expected-error@+1 {{dycl.continue gives dycl.for (), but (!dycl.value) is wanted}}
    dycl.continue
  }
  dycl.return
}

// -----

func.func @leave_needs_its_scope() {
  dycl.scope "call" {
    // expected-error@+1 {{there is no scope "other" around dycl.leave}}
    dycl.leave "other"
  }
  dycl.return
}

// -----

func.func @words_are_texts(%a: !dycl.value) {
  // expected-error@+1 {{`test` of dycl.if is 3 : i64, not a text}}
  dycl.if %a { dycl.return } {test = 3 : i64}
  dycl.return
}

// -----

func.func @structure_is_a_constant(%a: !dycl.value) {
  // expected-error@+1 {{dycl.return cannot build the attribute array<i64: 1>}}
  dycl.return %a {structure = array<i64: 1>}
}

// -----

func.func @structure_has_a_leaf_for_each_operand(%a: !dycl.value) {
  // expected-error@+1 {{operand 0 of dycl.return is nowhere in the structure: #dycl.leaf<0> stands for it}}
  dycl.return %a {structure = 3 : i64}
}

// -----

func.func @structure_has_no_more_leaves(%a: !dycl.value) {
  // expected-error@+1 {{the structure has leaf 1, but dycl.return has 1 operands}}
  dycl.return %a {structure = #dycl.tuple<[#dycl.leaf<0>, #dycl.leaf<1>]>}
}

// -----

func.func @attributes_have_their_parameters() {
  // expected-error@+1 {{this op cannot be read: an attribute or a type has too few or too many parameters}}
  %p = dycl.constant #dycl.param<"w">
  dycl.return
}

// -----

func.func @try_yields_too_little(%p: !dycl.value) {
  // expected-error@+1 {{a handler yields (), but dycl.try returns (!dycl.value)}}
  %x = dycl.try -> (!dycl.value) { dycl.yield %p } except "KeyError" { dycl.yield }
  dycl.return
}

// -----

func.func @try_catches_what_python_does_not_have(%p: !dycl.value) {
  // expected-error@+1 {{Python has no exception KeyErr}}
  %x = dycl.try -> (!dycl.value) { dycl.yield %p } except "KeyErr" { dycl.yield %p }
  dycl.return
}
