// What tells a vault to lock: descriptors that Swift cannot make by itself, and a handler that runs in signal context.
#pragma once

#include <stdint.h>

// A second number for an open file; close-on-exec.
int cs_duplicate(int fd);

// A timer that never comes, which the kernel cancels when the wall clock jumps: when it is set, and at the end of a
// sleep of the machine. poll(2) reports it until a read(2), which fails with ECANCELED. close-on-exec, never blocking.
int cs_clock_change_timer(void);
// Waits for the next jump. (A jump that comes in between is reported at once.)
int cs_clock_change_arm(int fd);

// Caught signals. The handler counts the arrival, adds one to an eventfd and calls the handler that was there before.
// In a forked child it only does what the signal would have done without it.

// The eventfd of this process. It must stay open for as long as the process lives.
void cs_caught_signals_wake(int fd);
// Puts the handler in place, if it is not: 0, or -1 and errno.
int cs_catch_signal(int number);
// Puts back what was there, if the handler is still in place.
void cs_release_signal(int number);
// How often the signal came since the last question.
uint32_t cs_signal_arrivals(int number);
// Does for what came what the system does by default, if nobody had asked for anything else: returns after a stop or if
// that is nothing, and does not return if it ends the process.
void cs_signal_default(int number);
