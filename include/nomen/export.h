/* Which symbols leave the library. Everything not marked NOMEN_API is hidden. */
#ifndef NOMEN_EXPORT_H
#define NOMEN_EXPORT_H

#if defined(__GNUC__)
#define NOMEN_API                 __attribute__((visibility("default")))
#define NOMEN_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define NOMEN_MUST_CHECK          __attribute__((warn_unused_result))
#else
#define NOMEN_API
#define NOMEN_PRINTF(text, first)
#define NOMEN_MUST_CHECK
#endif

#endif
