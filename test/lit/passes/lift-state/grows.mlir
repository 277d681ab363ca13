// RUN: dycl-opt --dycl-lift-state %s | filecheck %s

// A list that is only appended to: the call starts with an empty one.

// CHECK:      func.func @forward(%x: !dycl.value) attributes
// CHECK-SAME:   #dycl.tuple<["log", "grow", #dycl.tuple<[[1 : i64]]>, #dycl.tuple<[]>]>
// CHECK-NEXT:   %log = dycl.list()
// CHECK:        dycl.invoke %log "append"(%x)
// CHECK:        dycl.tuple(%log)
dycl.object @"" "m.Net" {log = [1 : i64]}
func.func @forward(%x: !dycl.value) attributes {dycl.entry, dycl.params = ["x"]} {
  %self = dycl.constant @""
  %log = dycl.getattr %self "log"
  %0 = dycl.invoke %log "append"(%x)
  dycl.return %x
}
