// RUN: dycl-opt --dycl-scalarize-records %s | filecheck %s

// A record that is returned stays as it is.

// CHECK-LABEL: func.func @forward
// CHECK:         %[[T:.*]] = dycl.tuple()
// CHECK-NEXT:    %[[R:.*]] = dycl.record %[[T]] as #dycl.record_type<@"class m.Empty", "dataclass", []>
// CHECK-NEXT:    dycl.return %[[R]]
func.func @forward() attributes {dycl.entry} {
  %t = dycl.tuple()
  %r = dycl.record %t as #dycl.record_type<@"class m.Empty", "dataclass", []>
  dycl.return %r
}

dycl.object @"class m.Empty" "builtins.type" {}
