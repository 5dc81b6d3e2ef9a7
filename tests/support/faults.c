/* Calls of the C library that write to a disk, one of which fails: for LD_PRELOAD, see tests/support/faults.py.

   What counts is an operation that may need space or reach the disk: a file made or opened to be written, a write to a
   regular file, a name given, a file cut or grown, a synchronisation. `at` is how many of them are left until
   one fails with `error`; with `full` those after it that need space fail, too, as on a disk that stays
   full. A process forked from this one has its own count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

struct faults {
    long at;
    long error;
    long full;
    long hit;
    char where[64];
} *faults;

__attribute__((constructor)) static void begin(void) {
    faults = mmap(NULL, sizeof *faults, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int fails(const char *name, int needs_space) {
    if (faults->at <= 0 && !(faults->hit && faults->full && needs_space))
        return 0;
    if (faults->at > 0 && __atomic_sub_fetch(&faults->at, 1, __ATOMIC_SEQ_CST) != 0)
        return 0;
    if (!__atomic_fetch_add(&faults->hit, 1, __ATOMIC_SEQ_CST))
        snprintf(faults->where, sizeof faults->where, "%s", name);
    errno = faults->error;
    return 1;
}

static int is_regular(int descriptor) {
    struct stat status;
    int before = errno, result = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    errno = before;
    return result;
}

static int makes(int flags) { return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)); }
static int has_mode(int flags) { return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE; }

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, name)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); \
        mode_t mode = has_mode(flags) ? va_arg(more, mode_t) : 0; va_end(more); \
        REAL(int, #name, const char *, int, ...); \
        return makes(flags) && fails("open", 1) ? -1 : real(path, flags, mode); }
#define OPENAT(name) \
    int name(int folder, const char *path, int flags, ...) { \
        va_list more; va_start(more, flags); \
        mode_t mode = has_mode(flags) ? va_arg(more, mode_t) : 0; va_end(more); \
        REAL(int, #name, int, const char *, int, ...); \
        return makes(flags) && fails("openat", 1) ? -1 : real(folder, path, flags, mode); }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64)

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, "write", int, const void *, size_t);
    return is_regular(file) && fails("write", 1) ? -1 : real(file, data, size); }
ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, "writev", int, const struct iovec *, int);
    return is_regular(file) && fails("writev", 1) ? -1 : real(file, parts, count); }
#define PWRITE(name) \
    ssize_t name(int file, const void *data, size_t size, off_t at) { \
        REAL(ssize_t, #name, int, const void *, size_t, off_t); \
        return is_regular(file) && fails("pwrite", 1) ? -1 : real(file, data, size, at); }
PWRITE(pwrite) PWRITE(pwrite64)
#define TRUNCATE(name) \
    int name(int file, off_t size) { \
        REAL(int, #name, int, off_t); \
        return is_regular(file) && fails("ftruncate", 1) ? -1 : real(file, size); }
TRUNCATE(ftruncate) TRUNCATE(ftruncate64)
int fsync(int file) {
    REAL(int, "fsync", int);
    return fails("fsync", 0) ? -1 : real(file); }
int fdatasync(int file) {
    REAL(int, "fdatasync", int);
    return fails("fdatasync", 0) ? -1 : real(file); }
int mkdir(const char *path, mode_t mode) {
    REAL(int, "mkdir", const char *, mode_t);
    return fails("mkdir", 1) ? -1 : real(path, mode); }
int rename(const char *from, const char *to) {
    REAL(int, "rename", const char *, const char *);
    return fails("rename", 0) ? -1 : real(from, to); }
int renameat(int a, const char *from, int b, const char *to) {
    REAL(int, "renameat", int, const char *, int, const char *);
    return fails("renameat", 0) ? -1 : real(a, from, b, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) {
    REAL(int, "linkat", int, const char *, int, const char *, int);
    return fails("linkat", 1) ? -1 : real(a, from, b, to, flags); }
int link(const char *from, const char *to) {
    REAL(int, "link", const char *, const char *);
    return fails("link", 1) ? -1 : real(from, to); }
int fchmod(int file, mode_t mode) {
    REAL(int, "fchmod", int, mode_t);
    return fails("fchmod", 0) ? -1 : real(file, mode); }
