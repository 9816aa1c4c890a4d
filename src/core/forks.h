/* Locks and fork (global.c). */
#ifndef NOMEN_CORE_FORKS_H
#define NOMEN_CORE_FORKS_H

/* A child of fork must not inherit a lock from a thread that it does not have: fork takes it before
 * the core's locks, as those do that hold it and ask the core for memory. */
void nomen__watch_forks(void (*take)(void), void (*give)(void));

#endif
