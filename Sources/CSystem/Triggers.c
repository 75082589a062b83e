#define _GNU_SOURCE
#include "Triggers.h"

#include "CSystem.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

int cs_clock_change_timer(void) { return timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK); }

int cs_clock_change_arm(int fd) {
    struct itimerspec never = {.it_value = {.tv_sec = sizeof(time_t) == 8 ? (time_t)INT64_MAX : (time_t)INT32_MAX}};
    return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

// The kernel's signals are 1 to 64.
enum { last_signal = 64 };

typedef struct {
    struct sigaction before;     // what was there, for as long as the handler may run
    _Atomic int wanted;          // whether somebody here waits for the signal
    _Atomic int covered;         // whether another handler took our place, which may call ours
    _Atomic uint32_t arrivals;
    _Atomic int owed;            // whether the default is still to be done for one of them
} caught_signal;

static caught_signal caught[last_signal + 1];
static _Atomic int wake = -1;
static _Atomic pid_t catcher;
// The signals whose earlier handler runs on this thread now. initial-exec: reading it allocates nothing.
static _Thread_local uint64_t calling __attribute__((tls_model("initial-exec")));

static void handler(int number, siginfo_t *info, void *context);

static int is_ours(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) && action->sa_sigaction == handler;
}

static int is_function(const struct sigaction *action) {
    return (action->sa_flags & SA_SIGINFO) || (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

static int is_default(const struct sigaction *action) {
    return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static void call_earlier(caught_signal *entry, int number, siginfo_t *info, void *context) {
    struct sigaction earlier = entry->before;
    uint64_t bit = 1ULL << (number - 1);
    if (atomic_load(&entry->covered)) {
        // The earlier handler may be one that took our place and calls us: then this is its call.
        if (calling & bit) return;
        calling |= bit;
    }
    if (earlier.sa_flags & (int)SA_RESETHAND) {
        memset(&entry->before, 0, sizeof entry->before);
        entry->before.sa_handler = SIG_DFL;
    }
    if (earlier.sa_flags & SA_SIGINFO) {
        earlier.sa_sigaction(number, info, context);
    } else {
        earlier.sa_handler(number);
    }
    calling &= ~bit;
}

// Async-signal-safe: atomics, getpid, write, sigaction and tgkill only.
static void handler(int number, siginfo_t *info, void *context) {
    if (number < 1 || number > last_signal) return;
    int saved = errno;
    caught_signal *entry = &caught[number];
    int is_wanted = atomic_load(&entry->wanted) && atomic_load(&catcher) == getpid();
    if (is_wanted) {
        uint64_t one = 1;
        if (is_default(&entry->before)) atomic_store(&entry->owed, 1);
        atomic_fetch_add(&entry->arrivals, 1);
        // A counter that is full wakes too.
        if (write(atomic_load(&wake), &one, sizeof one) < 0) {}
        // Whoever waited may have left meanwhile, and then either they or we see to the rest.
        if (!atomic_load(&entry->wanted) && atomic_exchange(&entry->owed, 0)) is_wanted = 0;
    }
    struct sigaction now;
    if (is_function(&entry->before)) {
        call_earlier(entry, number, info, context);
    } else if (!is_wanted && is_default(&entry->before) && sigaction(number, NULL, &now) == 0
               && (is_ours(&now) || is_default(&now))) {
        // Nobody is there to do it later: a forked child, or the last who waited has just left. The signal is held back
        // until this function returns.
        sigaction(number, &entry->before, NULL);
        cs_raise(number);
    }
    errno = saved;
}

void cs_caught_signals_wake(int fd) {
    // What a parent had counted is not ours.
    for (int number = 1; number <= last_signal; number++) {
        atomic_store(&caught[number].wanted, 0);
        atomic_store(&caught[number].arrivals, 0);
        atomic_store(&caught[number].owed, 0);
    }
    atomic_store(&wake, fd);
    atomic_store(&catcher, getpid());
}

int cs_catch_signal(int number) {
    struct sigaction now;
    if (number < 1 || number > last_signal) {
        errno = EINVAL;
        return -1;
    }
    caught_signal *entry = &caught[number];
    if (sigaction(number, NULL, &now) != 0) return -1;
    if (is_ours(&now)) {
        atomic_store(&entry->wanted, 1);
        return 0;
    }
    entry->before = now;
    struct sigaction ours;
    memset(&ours, 0, sizeof ours);
    sigemptyset(&ours.sa_mask);
    ours.sa_flags = SA_RESTART | SA_ONSTACK;
    if (is_function(&now)) {
        // The earlier handler finds the world as it asked for it.
        ours.sa_mask = now.sa_mask;
        ours.sa_flags = now.sa_flags & ~(int)SA_RESETHAND;
    } else if (number == SIGCHLD) {
        ours.sa_flags |= now.sa_flags & (SA_NOCLDWAIT | SA_NOCLDSTOP);
        if (!is_default(&now)) ours.sa_flags |= SA_NOCLDWAIT;  // ignored: no child becomes a zombie
    }
    ours.sa_flags |= SA_SIGINFO;
    ours.sa_sigaction = handler;
    atomic_store(&entry->wanted, 1);
    if (sigaction(number, &ours, NULL) != 0) {
        atomic_store(&entry->wanted, 0);
        return -1;
    }
    return 0;
}

void cs_release_signal(int number) {
    if (number < 1 || number > last_signal) return;
    caught_signal *entry = &caught[number];
    struct sigaction now;
    if (sigaction(number, NULL, &now) == 0) {
        if (is_ours(&now)) {
            sigaction(number, &entry->before, NULL);
        } else if (is_function(&now)) {
            atomic_store(&entry->covered, 1);
        }
    }
    atomic_store(&entry->wanted, 0);
}

uint32_t cs_signal_arrivals(int number) {
    return number < 1 || number > last_signal ? 0 : atomic_exchange(&caught[number].arrivals, 0);
}

void cs_signal_default(int number) {
    if (number < 1 || number > last_signal) return;
    caught_signal *entry = &caught[number];
    struct sigaction now, after;
    if (!atomic_exchange(&entry->owed, 0) || sigaction(number, NULL, &now) != 0) return;
    int is_caught = is_ours(&now);
    if (!is_default(is_caught ? &entry->before : &now)) return;
    if (is_caught) sigaction(number, &entry->before, NULL);
    // To this thread, so that it acts before the next line and not at some time on another one.
    uint64_t bit = 1ULL << (number - 1), before = 0;
    cs_signal_mask(SIG_BLOCK, bit, &before);
    cs_raise(number);
    cs_signal_mask(SIG_UNBLOCK, bit, NULL);
    cs_signal_mask(SIG_SETMASK, before, NULL);
    if (is_caught && atomic_load(&entry->wanted) && sigaction(number, NULL, &after) == 0 && is_default(&after)) {
        sigaction(number, &now, NULL);
    }
}

int cs_duplicate(int fd) { return fcntl(fd, F_DUPFD_CLOEXEC, 0); }
