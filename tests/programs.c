/* All test programs are one, so that the library is linked once and not fifty times: the name by
 * which it is started, a link to it, says which of them is meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declarations of their main functions, which the build renames. */
#define X(stem) int stem##_main(void);
#include "test_programs.h"
#undef X

#define X(stem) {#stem, stem##_main},
static const struct {
    const char *name;
    int (*main)(void);
} programs[] = {
#include "test_programs.h"
};
#undef X

int main(int count, char **words) {
    const char *name = count > 0 ? words[0] : "", *slash = strrchr(name, '/');
    if (slash) name = slash + 1;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(programs[i].name, name)) return programs[i].main();
    fprintf(stderr, "%s: start one of these links to this program:\n", name);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        fprintf(stderr, "  %s\n", programs[i].name);
    return EXIT_FAILURE;
}
