// RUN: dycl-opt --dycl-select-elements %s | filecheck %s

// Each open part of a key has a position, and both are one number; a part that is
// known leaves the keys out that have another one.

// CHECK:      func.func @forward
// CHECK:        %[[A:.*]] = dycl.position %s in #dycl.tuple<["a", "b"]>
// CHECK:        %[[B:.*]] = dycl.position %t in #dycl.tuple<[1 : i64, 2 : i64]>
// CHECK:        %[[THREE:.*]] = dycl.constant 3 : i64
// CHECK:        %[[ROW:.*]] = dycl.binary mul %[[A]], %[[THREE]]
// CHECK:        %[[CODE:.*]] = dycl.binary add %[[ROW]], %[[B]]
// CHECK:        %{{.*}} = dycl.position %[[CODE]] in #dycl.tuple<[0 : i64, 1 : i64, 4 : i64]>
// CHECK:        %{{.*}} = dycl.position %t in #dycl.tuple<[1 : i64, 2 : i64]>
func.func @forward(%s: !torch.str, %t: !torch.int) attributes {dycl.entry} {
  %table = dycl.constant #dycl.dict<[#dycl.tuple<["a", 1 : i64]>, 5 : i64, #dycl.tuple<["a", 2 : i64]>, 6 : i64, #dycl.tuple<["b", 2 : i64]>, 7 : i64]>
  %else = dycl.constant 0 : i64
  %both = dycl.tuple(%s, %t) : (!torch.str, !torch.int) -> !dycl.value
  %x = dycl.invoke %table "get"(%both, %else)
  %a = dycl.constant "a" -> !torch.str
  %key_1 = dycl.tuple(%a, %t) : (!torch.str, !torch.int) -> !dycl.value
  %y = dycl.invoke %table "get"(%key_1, %else)
  %0 = dycl.tuple(%x, %y)
  dycl.return %0
}
