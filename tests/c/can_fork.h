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

#endif
