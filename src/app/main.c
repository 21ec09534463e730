#include <stdio.h>

int main(void)
{
    puts("scent " SCENT_VERSION);
    return 0;
}
