/* A device from a backend that was built outside the tree too. */
#include <nomen/nomen.h>

#include <stdio.h>

int main(void) {
    nomen_tensor *x = nomen_ones("N", NOMEN_SIZES(3), .device = "mock");
    if (!x) {
        puts(nomen_error_text());
        return 1;
    }
    printf("%s %g %s\n", nomen_device_of(x), nomen_item(nomen_sum(x, .dim = "N")),
           nomen_name_of(x, 0));
    return 0;
}
