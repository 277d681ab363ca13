func.func @f() {
  %0 = torch.constant.str "same"
  %1 = torch.constant.str "\22quoted\22\0A\\"
  %2 = torch.constant.str "caf\C3\A9"
  return
}
