#define _GNU_SOURCE
#include "CSystem.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

int cs_open(const char *path, int flags, mode_t mode) { return open(path, flags | O_CLOEXEC, mode); }

int cs_openat(int directory, const char *path, int flags, mode_t mode) {
    return openat(directory, path, flags | O_CLOEXEC, mode);
}

int cs_flock(int fd, int operation) { return flock(fd, operation); }

int cs_directory_read(int directory, int (*visit)(const char *, void *), void *context) {
    int copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (copy < 0) return -1;
    DIR *stream = fdopendir(copy);
    if (!stream) {
        int saved = errno;
        close(copy);
        errno = saved;
        return -1;
    }
    struct dirent *entry;
    int result = 0;
    for (;;) {
        errno = 0;
        entry = readdir(stream);
        if (!entry) {
            if (errno != 0) result = -1;
            break;
        }
        if (visit(entry->d_name, context) != 0) break;
    }
    int saved = errno;
    closedir(stream);
    errno = saved;
    return result;
}

int cs_rename_new(int directory, const char *from, const char *to) {
    return renameat2(directory, from, directory, to, RENAME_NOREPLACE);
}

int cs_syncfs(int fd) { return syncfs(fd); }

uint64_t cs_physical_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES);
    long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

int cs_set_dumpable(int dumpable) { return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0); }
int cs_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }

// Stops at the first object that has calls to bind and does not ask for it to be done at once. In a static program
// there is none: it has no table of such calls.
static int binds_later(struct dl_phdr_info *info, size_t size, void *out) {
    (void)size;
    int calls = 0, now = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_DYNAMIC) continue;
        for (const ElfW(Dyn) *d = (const ElfW(Dyn) *)(info->dlpi_addr + header->p_vaddr); d->d_tag != DT_NULL; d++) {
            if (d->d_tag == DT_PLTRELSZ && d->d_un.d_val > 0) calls = 1;
            if (d->d_tag == DT_BIND_NOW) now = 1;
            if (d->d_tag == DT_FLAGS && (d->d_un.d_val & DF_BIND_NOW)) now = 1;
            if (d->d_tag == DT_FLAGS_1 && (d->d_un.d_val & DF_1_NOW)) now = 1;
        }
    }
    *(int *)out = calls && !now;
    return *(int *)out;
}

int cs_binds_at_start(void) {
    const char *forced = secure_getenv("LD_BIND_NOW");
    if (forced && *forced) return 1;
    // A static program may list calls of its own (IRELATIVE), which are bound before main.
    if (getauxval(AT_BASE) == 0) return 1;
    int later = 0;
    dl_iterate_phdr(binds_later, &later);
    return !later;
}

int cs_start_thread(void *(*run)(void *), void *context) {
    pthread_attr_t attributes;
    int result = pthread_attr_init(&attributes);
    if (result != 0) return result;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    result = pthread_create(&thread, &attributes, run, context);
    pthread_attr_destroy(&attributes);
    return result;
}

int cs_name_thread(const char *name) { return pthread_setname_np(pthread_self(), name); }

int cs_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int cs_timerfd(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int cs_timerfd_set(int fd, int64_t deadline) {
    struct itimerspec time = {{0, 0}, {deadline / 1000000000, deadline % 1000000000}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL);
}

int cs_wipe_on_fork(void *start, size_t length) { return madvise(start, length, MADV_WIPEONFORK); }

// The token stands on a page that the kernel hands to a forked child as zeros; the child then draws its own. Without
// MADV_WIPEONFORK (before Linux 4.14) the process number stands in, which can only repeat in a grandchild.
static _Atomic uint64_t *token_page;

static void map_token_page(void) {
    long size = sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return;
    if (madvise(page, (size_t)size, MADV_WIPEONFORK) != 0) {
        munmap(page, (size_t)size);
        return;
    }
    token_page = page;
}

uint64_t cs_process_token(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, map_token_page);
    if (!token_page) return (uint64_t)getpid();
    uint64_t token = atomic_load_explicit(token_page, memory_order_relaxed);
    if (token != 0) return token;
    uint64_t drawn = 0;
    while (drawn == 0) {
        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) drawn = (uint64_t)getpid();
    }
    return atomic_compare_exchange_strong(token_page, &token, drawn) ? drawn : token;
}

// The kernel's own set of signals has 64 bits. The library's calls take 32 and 33 out of every set: it uses them itself.
int cs_signal_mask(int how, uint64_t set, uint64_t *before) {
    return (int)syscall(SYS_rt_sigprocmask, how, &set, before, sizeof set);
}

int cs_signalfd(uint64_t signals) {
    return (int)syscall(SYS_signalfd4, -1, &signals, sizeof signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

int cs_raise(int number) { return (int)syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), number); }

enum { options_max = 63 };

int cs_getopt(int argc, char *const *argv, const char *short_options, const cs_option *options, int count,
              cs_scan *scan) {
    struct option table[options_max + 1];
    if (count > options_max) return '?';
    for (int i = 0; i < count; i++) {
        table[i] = (struct option){options[i].name, options[i].argument, 0, options[i].code};
    }
    memset(&table[count], 0, sizeof table[count]);
    opterr = 0;
    if (scan->index == 0) optind = 0;  // glibc: a full reset, so that a verb can scan its own words
    int code = getopt_long(argc, argv, short_options, table, NULL);
    scan->index = optind;
    scan->argument = optarg;
    scan->fault = optopt;
    return code;
}

int cs_close_on_exec(int fd) { return fcntl(fd, F_SETFD, FD_CLOEXEC); }

char *const *cs_environment(void) { return environ; }
