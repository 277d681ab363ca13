/* What stands in structs of the driver, read by NVIDIA's own header. */

#include <cuda.h>
#include <stdint.h>
#include <string.h>

/* Kind, and whether all bytes that have to be zero are. */
int64_t node_kind(const CUgraphNodeParams *p)
{
    return p->type;
}

int node_is_clean(const CUgraphNodeParams *p)
{
    const char *bytes = (const char *)&p->reserved1;
    size_t used = p->type == CU_GRAPH_NODE_TYPE_KERNEL ? sizeof p->kernel : sizeof p->conditional;
    for (size_t i = used; i < sizeof p->reserved1; i++)
        if (bytes[i])
            return 0;
    return !(p->reserved0[0] | p->reserved0[1] | p->reserved0[2]) && !p->reserved2;
}

void node_kernel(const CUgraphNodeParams *p, uint64_t *out)
{
    const CUDA_KERNEL_NODE_PARAMS_v3 *k = &p->kernel;
    uint64_t fields[] = {
        (uintptr_t)k->func,  k->gridDimX,       k->gridDimY,
        k->gridDimZ,         k->blockDimX,      k->blockDimY,
        k->blockDimZ,        k->sharedMemBytes, (uintptr_t)k->kernelParams,
        (uintptr_t)k->extra, (uintptr_t)k->kern, (uintptr_t)k->ctx,
    };
    memcpy(out, fields, sizeof fields);
}

void node_conditional(const CUgraphNodeParams *p, uint64_t *out)
{
    const CUDA_CONDITIONAL_NODE_PARAMS *c = &p->conditional;
    uint64_t fields[] = {c->handle, c->type, c->size, (uintptr_t)c->ctx};
    memcpy(out, fields, sizeof fields);
}

void node_set_bodies(CUgraphNodeParams *p, CUgraph *bodies)
{
    p->conditional.phGraph_out = bodies;
}

void launch_config(const CUlaunchConfig *c, uint64_t *out)
{
    uint64_t fields[] = {
        c->gridDimX,       c->gridDimY,           c->gridDimZ,         c->blockDimX, c->blockDimY, c->blockDimZ,
        c->sharedMemBytes, (uintptr_t)c->hStream, (uintptr_t)c->attrs, c->numAttrs,
    };
    memcpy(out, fields, sizeof fields);
}
