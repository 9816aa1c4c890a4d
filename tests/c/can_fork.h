/* May a test fork, and have the child start threads? */
#ifndef NOMEN_TEST_CAN_FORK_H
#define NOMEN_TEST_CAN_FORK_H

/* The thread sanitizer does not follow a child of fork that starts threads. */
#if defined(__SANITIZE_THREAD__)
enum { FORKS = 0 };
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
enum { FORKS = 0 };
#else
enum { FORKS = 1 };
#endif
#else
enum { FORKS = 1 };
#endif

/* The address sanitizer of gcc 12 does not hold the locks of its allocator over a fork: where other
 * threads allocate meanwhile, the child may wait for one of them forever. */
extern void __asan_init(void) __attribute__((weak));
static inline int forks_amid_threads(void) { return FORKS && !__asan_init; }

#endif
