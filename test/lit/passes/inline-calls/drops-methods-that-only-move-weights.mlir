// RUN: dycl-opt --dycl-inline-calls %s | filecheck %s

// `flatten_parameters` of torch's LSTM and GRU changes where weights lie in memory, and
// no value; it gives None.

// CHECK-LABEL: func.func @forward
// CHECK:         %n = dycl.constant #dycl.none
// CHECK-NEXT:    dycl.return %n
dycl.object @"" "net.Net" {rnn = @rnn}
dycl.object @rnn "torch.nn.modules.rnn.LSTM" {__leaf__ = "torch.nn.modules.rnn.LSTM"}
func.func @forward(%x: !dycl.value) attributes {dycl.entry} {
  %m = dycl.constant @rnn
  %n = dycl.invoke %m "flatten_parameters"()
  dycl.return %n
}
