// Calls that Swift cannot make by itself: C variadics (open, prctl, ioctl), functions behind _GNU_SOURCE, and
// getopt_long, whose globals Swift 6 refuses. Each shim does one thing; no policy lives here.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "Sockets.h"
#include "Triggers.h"

// Files. O_CLOEXEC is always added.
int cs_open(const char *path, int flags, mode_t mode);
int cs_openat(int directory, const char *path, int flags, mode_t mode);
int cs_flock(int fd, int operation);
int cs_directory_read(int directory, int (*visit)(const char *name, void *context), void *context);
uint64_t cs_physical_memory(void);

// Storage: renameat2 with RENAME_NOREPLACE, and syncfs.
int cs_rename_new(int directory, const char *from, const char *to);
int cs_syncfs(int fd);

// Process: PR_SET_DUMPABLE, PR_GET_DUMPABLE.
int cs_set_dumpable(int dumpable);
int cs_get_dumpable(void);

// Whether every symbol of the program and its libraries is bound at the start (static, -z now or LD_BIND_NOW). Lazy
// binding saves vector registers on the stack, and with them pieces of what they last held.
int cs_binds_at_start(void);

// Starts a detached thread. 0, or an error number.
int cs_start_thread(void *(*run)(void *context), void *context);
// Names the thread that calls, in at most 15 bytes, for whoever lists the threads of the process.
int cs_name_thread(const char *name);

// Descriptors to poll, closed on exec and never blocking: one that is made readable by writing 8 bytes, and one that
// becomes readable at a time of CLOCK_BOOTTIME, in nanoseconds; 0 stands for never.
int cs_eventfd(void);
int cs_timerfd(void);
int cs_timerfd_set(int fd, int64_t deadline);

// Memory.
int cs_wipe_on_fork(void *start, size_t length);

// A number, never 0, that stays the same for the life of this process and is another one in each forked child.
uint64_t cs_process_token(void);

// Signals as a set of 64 bits, signal 1 the lowest: also those that the C library keeps out of its own sets. The mask of
// this thread (SIG_BLOCK, SIG_UNBLOCK, SIG_SETMASK; before may be null), a descriptor that becomes readable when one of
// the signals is pending (the caller has blocked them), and a signal for this thread.
int cs_signal_mask(int how, uint64_t set, uint64_t *before);
int cs_signalfd(uint64_t signals);
int cs_raise(int number);

// One long option. argument: 0 none, 1 required, 2 optional. code: what cs_getopt returns for it.
typedef struct {
    const char *name;
    int argument;
    int code;
} cs_option;

// index 0 starts a scan. After a call: the index of the next word, the option's argument, the option at fault.
typedef struct {
    int index;
    const char *argument;
    int fault;
} cs_scan;

// getopt_long(3) whose globals stay on this side, so not for two threads at once: the option's code, -1 at the end,
// '?' unknown (or a table of over 63 options), ':' missing argument.
int cs_getopt(int argc, char *const *argv, const char *short_options, const cs_option *options, int count,
              cs_scan *scan);

// What the command line needs: FD_CLOEXEC on a descriptor that was handed in, and the environment for a child process.
int cs_close_on_exec(int fd);
char *const *cs_environment(void);
