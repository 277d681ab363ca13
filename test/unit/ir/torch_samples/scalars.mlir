func.func @f() {
  %0 = torch.constant.int -9223372036854775808
  %1 = torch.constant.float 1.000000e-05
  %2 = torch.constant.float 0xFFF0000000000000
  %3 = torch.constant.float 0x7FF8000000000000
  %4 = torch.constant.float 0.1
  %5 = torch.constant.bool true
  %6 = torch.constant.none
  %7 = torch.constant.device "cpu"
  %8 = torch.constant.int 5 {note = "five"}
  %9 = torch.constant.float -0.0
  return
}
