/* What printed hosts use of the C library: declared here, so that its headers are not
   needed. Sizes and numbers are those of Linux on x86-64. */

#define NULL ((void *)0)
#define bool _Bool
#define true ((_Bool)1)
#define false ((_Bool)0)
#define offsetof(type, member) ((size_t)&((type *)0)->member)

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ptrdiff_t;
typedef unsigned long size_t;
typedef long ssize_t;

#define INT64_C(number) number##L
#define INT64_MAX 9223372036854775807L
#define INT64_MIN (-9223372036854775807L - 1)

/* ---- memory and texts */

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *start, size_t size);
void *aligned_alloc(size_t align, size_t size);
void free(void *start);
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
void *memmem(const void *in, size_t in_size, const void *what, size_t size);
size_t strlen(const char *text);
size_t strspn(const char *text, const char *of);
size_t strcspn(const char *text, const char *of);
char *strchr(const char *text, int byte);
char *strrchr(const char *text, int byte);
char *strstr(const char *text, const char *what);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t size);
int snprintf(char *to, size_t size, const char *format, ...);
int sscanf(const char *text, const char *format, ...);
char *getenv(const char *name);
char *strerror(int number);
int *__errno_location(void);
#define errno (*__errno_location())
void qsort(void *start, size_t count, size_t size, int (*order)(const void *, const void *));
void *bsearch(const void *key, const void *start, size_t count, size_t size,
              int (*order)(const void *, const void *));

/* ---- files and mapped memory */

int open(const char *path, int flags, ...);
int close(int file);
ssize_t read(int file, void *to, size_t size);
long lseek(int file, long offset, int whence);
void *mmap(void *start, size_t size, int protection, int flags, int file, long offset);
int munmap(void *start, size_t size);
int madvise(void *start, size_t size, int advice);
#define O_RDONLY 0
#define O_CLOEXEC 524288
#define SEEK_END 2
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_SHARED 1
#define MAP_PRIVATE 2
#define MAP_ANONYMOUS 32
#define MAP_FAILED ((void *)-1)
#define MADV_HUGEPAGE 14
#define MADV_WIPEONFORK 18
int getpid(void);

typedef struct {
    const char *dli_fname;
    void *dli_fbase;
    const char *dli_sname;
    void *dli_saddr;
} Dl_info;
int dladdr(const void *address, Dl_info *info);
void *dlopen(const char *path, int flags);
void *dlsym(void *library, const char *name);
char *dlerror(void);
#define RTLD_NOW 2
#define RTLD_LOCAL 0

/* ---- time and threads */

struct timespec {
    long tv_sec, tv_nsec;
};
int clock_gettime(int clock, struct timespec *now);
#define CLOCK_MONOTONIC 1

typedef unsigned long pthread_t;
typedef int pthread_once_t;
#define PTHREAD_ONCE_INIT 0
int pthread_once(pthread_once_t *once, void (*start)(void));
int pthread_create(pthread_t *thread, const void *traits, void *(*start)(void *),
                   void *argument);
int pthread_detach(pthread_t thread);
pthread_t pthread_self(void);

typedef struct {
    unsigned long words[16];
} cpu_set_t;
int sched_getaffinity(int process, size_t size, cpu_set_t *set);
int sched_getcpu(void);
int sched_yield(void);
int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);
int __sched_cpucount(size_t size, const cpu_set_t *set);
#define CPU_COUNT(set) __sched_cpucount(sizeof(cpu_set_t), set)
static void libc_or(cpu_set_t *to, const cpu_set_t *a, const cpu_set_t *b)
{
    for (int i = 0; i < 16; i++)
        to->words[i] = a->words[i] | b->words[i];
}
#define CPU_OR(to, a, b) libc_or(to, a, b)

long syscall(long number, ...);
#define SYS_futex 202
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129

typedef _Atomic _Bool atomic_flag;
#define ATOMIC_FLAG_INIT 0

/* ---- numbers */

#define INFINITY 1e999
double fabs(double a);
double floor(double a);
double ceil(double a);
double round(double a);
double rint(double a);
double fmod(double a, double b);
double fmin(double a, double b);
double fmax(double a, double b);
double pow(double a, double b);
double copysign(double a, double b);
double atan2(double a, double b);
double ldexp(double a, int power);
double frexp(double a, int *power);
double acos(double a);
double acosh(double a);
double asin(double a);
double asinh(double a);
double atan(double a);
double atanh(double a);
double cbrt(double a);
double cos(double a);
double cosh(double a);
double erf(double a);
double erfc(double a);
double exp(double a);
double exp2(double a);
double expm1(double a);
double log(double a);
double log10(double a);
double log1p(double a);
double log2(double a);
double sin(double a);
double sinh(double a);
double sqrt(double a);
double tan(double a);
double tanh(double a);

static uint64_t libc_bits(double a)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}

static double libc_nan(void)
{
    uint64_t bits = 0x7ff8000000000000UL;
    double a;
    memcpy(&a, &bits, sizeof a);
    return a;
}

static int signbit(double a)
{
    return libc_bits(a) >> 63 != 0;
}

static int isnan(double a)
{
    return a != a;
}

static int isinf(double a)
{
    return fabs(a) == INFINITY;
}

static int isfinite(double a)
{
    return fabs(a) < INFINITY;
}

#define NAN libc_nan()
