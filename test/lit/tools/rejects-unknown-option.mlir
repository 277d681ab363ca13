// RUN: not dycl-opt -p 'dycl-repeat{passes=cse rounds=3}' %s 2>&1 | filecheck %s
// RUN: not dycl-opt -p 'normalise{x=1}' %s 2>&1 | filecheck %s --check-prefix=PHASE

// CHECK: dycl-opt: error: dycl-repeat: there is no option 'rounds'; did you mean 'max-rounds'? (options: max-rounds, passes, when-stable)

// PHASE: dycl-opt: error: 'normalise' is a phase and takes no options: 'normalise{x=1}'
