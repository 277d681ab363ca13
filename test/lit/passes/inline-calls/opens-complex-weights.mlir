// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// A complex weight is an object with two parameters: a read of it, and an op that is
// given it, have the record of these.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.constant #dycl.param<"w.real", [3 : i64], f32>
// CHECK-NEXT:    [[B:%.*]] = dycl.constant #dycl.param<"w.imag", [3 : i64], f32>
// CHECK-NEXT:    [[T:%.*]] = dycl.tuple([[A]], [[B]])
// CHECK-NEXT:    [[R:%.*]] = dycl.record [[T]] as #dycl.record_type<@"class dycl.prelude.complex_numbers.Complex", "dataclass", ["real", "imag"]>
// CHECK:         [[S:%.*]] = dycl.record
// CHECK:         dycl.call {{%.*}}([[S]])
// CHECK:         dycl.return [[R]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %net = dycl.constant @net
  %w = dycl.getattr %net "w"
  %same = dycl.constant @w
  %sigmoid = dycl.constant #dycl.global<"torch.sigmoid">
  %y = dycl.call %sigmoid(%same)
  dycl.return %w
}
dycl.object @net "m.Net" {w = @w}
dycl.object @w "dycl.prelude.complex_numbers.Complex" {real = #dycl.param<"w.real", [3 : i64], f32>, imag = #dycl.param<"w.imag", [3 : i64], f32>}
dycl.object @"class dycl.prelude.complex_numbers.Complex" "builtins.type" {}
