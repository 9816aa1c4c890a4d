/* A program of somebody else: uses what the public headers offer, and nothing of the source tree.
 */
#include <nomen/nomen.h>

#include <stdio.h>

int main(void) {
    float data[6] = {1, 2, 3, 4, 5, 6};
    nomen_scope_mark mark = nomen_scope_open();
    nomen_tensor *t = nomen_from_data(data, NOMEN_F32, "N C", NOMEN_SIZES(2, 3), NULL, NULL);
    if (!t) {
        fprintf(stderr, "%s\n", nomen_error_text());
        return 1;
    }
    printf("%s %lld %s %s\n", nomen_dtype_name(nomen_dtype_of(t)), (long long)nomen_size(t, "C"),
           nomen_name_of(t, 0),
           nomen_size(t, "H") == -1 ? nomen_last_error()->message : "no error");
    nomen_scope_close(&mark);
    return 0;
}
