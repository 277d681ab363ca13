// RUN: dycl-opt --dycl-specialize-joins %s | filecheck %s

// Nothing to do without an entry function.

// CHECK: builtin.module
builtin.module {
}
