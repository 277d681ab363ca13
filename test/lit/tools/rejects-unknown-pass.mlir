// RUN: not dycl-opt --dycl-outline-branch %s 2>&1 | filecheck %s
// RUN: not dycl-opt -p dycl-outline-branch %s 2>&1 | filecheck %s
// RUN: not dycl-opt -p 'dycl-repeat{passes=cse,dycl-outline-branch}' %s 2>&1 | filecheck %s
// RUN: not dycl-opt -d dycl-outline-branch %s 2>&1 | filecheck %s
// RUN: not dycl-opt --canonicalise %s 2>&1 | filecheck %s --check-prefix=FLAG
// RUN: not dycl-opt -p xyzzy %s 2>&1 | filecheck %s --check-prefix=FAR

// CHECK-NOT: Traceback
// CHECK:     dycl-opt: error: there is no pass 'dycl-outline-branch'; did you mean 'dycl-outline-branches'?

// FAR: dycl-opt: error: there is no pass 'xyzzy'; see dycl-opt --list-passes

// FLAG-NOT: usage:
// FLAG:     dycl-opt: error: unrecognized arguments: --canonicalise; did you mean 'canonicalize'?
