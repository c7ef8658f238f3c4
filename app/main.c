/* main.c: the `drt` command: finds the subcommand and runs it. */
#include <stdio.h>

#include "engine/drt.h"

int main(void) {
    puts("drt " DRT_VERSION);
    return 0;
}
