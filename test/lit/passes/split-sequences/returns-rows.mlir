// RUN: dycl-opt --dycl-split-sequences %s | filecheck %s

// What is returned is put together again; what all items have is no list.

// CHECK-LABEL: func.func @forward
// CHECK:         [[A:%.*]] = dycl.append {{%.*}}, %x
// CHECK-NEXT:    dycl.constant
// CHECK:         [[K:%.*]] = dycl.constant #dycl.tuple<["a", "b"]>
// CHECK-NEXT:    [[C:%.*]] = dycl.constant 1 : i64
// CHECK-NEXT:    [[P:%.*]] = dycl.tuple([[K]], [[C]], [[A]])
// CHECK-NEXT:    [[R:%.*]] = dycl.record [[P]] as #dycl.record_type<@"class dicts", "rows"
// CHECK:         dycl.return [[R]]
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %s = dycl.sequence()
  %a = dycl.constant "a"
  %b = dycl.constant "b"
  %one = dycl.constant 1 : i64
  %t = dycl.dict(%a, %one, %b, %x)
  %n = dycl.append %s, %t
  dycl.return %n
}
