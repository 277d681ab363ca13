/* A libcuda.so.1 without a GPU: each function of the driver calls what a test has set,
   and is not supported where it has set nothing.

   Prototypes are those of NVIDIA's cuda.h, with its types spelled out. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FORWARD(name, parameters, arguments)                                           \
    int(*on_##name) parameters;                                                        \
    int name parameters { return on_##name ? on_##name arguments : 801; }

FORWARD(cuInit, (unsigned flags), (flags))
FORWARD(cuDriverGetVersion, (int *version), (version))
FORWARD(cuGetErrorName, (int status, const char **name), (status, name))
FORWARD(cuDeviceGet, (int *device, int number), (device, number))
FORWARD(cuDeviceGetName, (char *name, int size, int device), (name, size, device))
FORWARD(cuDeviceGetAttribute, (int *value, int which, int device),
        (value, which, device))
FORWARD(cuDevicePrimaryCtxRetain, (void **context, int device), (context, device))
FORWARD(cuCtxSetCurrent, (void *context), (context))
FORWARD(cuMemAlloc_v2, (uint64_t *address, size_t size), (address, size))
FORWARD(cuMemFree_v2, (uint64_t address), (address))
FORWARD(cuMemcpyHtoDAsync_v2,
        (uint64_t target, const void *source, size_t size, void *stream),
        (target, source, size, stream))
FORWARD(cuMemcpyDtoHAsync_v2,
        (void *target, uint64_t source, size_t size, void *stream),
        (target, source, size, stream))
FORWARD(cuMemcpyDtoDAsync_v2,
        (uint64_t target, uint64_t source, size_t size, void *stream),
        (target, source, size, stream))
FORWARD(cuStreamCreate, (void **stream, unsigned flags), (stream, flags))
FORWARD(cuStreamDestroy_v2, (void *stream), (stream))
FORWARD(cuStreamSynchronize, (void *stream), (stream))
FORWARD(cuEventCreate, (void **event, unsigned flags), (event, flags))
FORWARD(cuEventRecord, (void *event, void *stream), (event, stream))
FORWARD(cuEventElapsedTime, (float *milliseconds, void *start, void *end),
        (milliseconds, start, end))
FORWARD(cuEventDestroy_v2, (void *event), (event))
FORWARD(cuStreamBeginCapture_v2, (void *stream, int mode), (stream, mode))
FORWARD(cuStreamEndCapture, (void *stream, void **graph), (stream, graph))
FORWARD(cuGraphCreate, (void **graph, unsigned flags), (graph, flags))
FORWARD(cuGraphConditionalHandleCreate,
        (unsigned long long *handle, void *graph, void *context, unsigned value,
         unsigned flags),
        (handle, graph, context, value, flags))
FORWARD(cuGraphAddNode_v2,
        (void **node, void *graph, void *const *before, const void *edges,
         size_t count, void *params),
        (node, graph, before, edges, count, params))
FORWARD(cuGraphInstantiateWithFlags,
        (void **executable, void *graph, unsigned long long flags),
        (executable, graph, flags))
FORWARD(cuGraphDestroy, (void *graph), (graph))
FORWARD(cuGraphExecDestroy, (void *executable), (executable))
FORWARD(cuGraphLaunch, (void *executable, void *stream), (executable, stream))
FORWARD(cuModuleLoadDataEx,
        (void **module, const void *image, unsigned count, int *options,
         void **values),
        (module, image, count, options, values))
FORWARD(cuModuleGetFunction, (void **function, void *module, const char *name),
        (function, module, name))
FORWARD(cuFuncSetAttribute, (void *function, int which, int value),
        (function, which, value))
FORWARD(cuLaunchKernel,
        (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
         void *stream, void **parameters, void **extra),
        (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
         parameters, extra))

/* What `cuda-core` asks beside these. */
FORWARD(cuDeviceGetCount, (int *count), (count))
FORWARD(cuGetErrorString, (int status, const char **text), (status, text))
FORWARD(cuDevicePrimaryCtxRelease_v2, (int device), (device))
FORWARD(cuCtxGetCurrent, (void **context), (context))
FORWARD(cuCtxGetDevice, (int *device), (device))
FORWARD(cuCtxGetStreamPriorityRange, (int *least, int *greatest), (least, greatest))
FORWARD(cuStreamCreateWithPriority, (void **stream, unsigned flags, int priority),
        (stream, flags, priority))
FORWARD(cuStreamGetCtx, (void *stream, void **context), (stream, context))
FORWARD(cuStreamIsCapturing, (void *stream, int *status), (stream, status))
FORWARD(cuLibraryLoadData,
        (void **library, const void *code, int *options, void **values, unsigned count,
         int *library_options, void **library_values, unsigned library_count),
        (library, code, options, values, count, library_options, library_values,
         library_count))
FORWARD(cuLibraryUnload, (void *library), (library))
FORWARD(cuLibraryGetKernel, (void **kernel, void *library, const char *name),
        (kernel, library, name))
FORWARD(cuKernelGetParamInfo,
        (void *kernel, size_t index, size_t *offset, size_t *size),
        (kernel, index, offset, size))
FORWARD(cuDeviceGetMemPool, (void **pool, int device), (pool, device))
FORWARD(cuMemPoolGetAttribute, (void *pool, int which, void *value),
        (pool, which, value))
FORWARD(cuMemPoolSetAttribute, (void *pool, int which, void *value),
        (pool, which, value))
FORWARD(cuMemAllocFromPoolAsync,
        (uint64_t *address, size_t size, void *pool, void *stream),
        (address, size, pool, stream))
FORWARD(cuMemFreeAsync, (uint64_t address, void *stream), (address, stream))
FORWARD(cuMemAllocHost_v2, (void **address, size_t size), (address, size))
FORWARD(cuMemFreeHost, (void *address), (address))
FORWARD(cuMemcpyAsync,
        (uint64_t target, uint64_t source, size_t size, void *stream),
        (target, source, size, stream))
FORWARD(cuPointerGetAttributes,
        (unsigned count, int *which, void **values, uint64_t address),
        (count, which, values, address))
FORWARD(cuLaunchKernelEx,
        (const void *config, void *function, void **parameters, void **extra),
        (config, function, parameters, extra))

/* What NVIDIA's own bindings ask for by name: the newest version that there is. What is
   not there is not found, and they say so when it is called. */
int cuGetProcAddress_v2(const char *symbol, void **function, int version,
                        uint64_t flags, int *found)
{
    static const char *const forms[] = {"%s_v2", "%s", "%sWithFlags"};
    Dl_info own;
    void *library = NULL;
    (void)version, (void)flags;
    if (dladdr((void *)&cuGetProcAddress_v2, &own))
        library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    *function = NULL;
    for (size_t i = 0; library && !*function && i < 3; i++) {
        char name[128];
        snprintf(name, sizeof name, forms[i], symbol);
        *function = dlsym(library, name);
    }
    if (found)
        *found = *function ? 0 : 1;
    return *function ? 0 : 500; /* CUDA_ERROR_NOT_FOUND */
}
