#include "app/signals.h"

#include "app/command.h"

#include <signal.h>
#include <unistd.h>

/* A signal handler has nothing but globals. */
static atomic_int asked;

/* The first signal stops gracefully, the second at once: what is not kept yet is done again when the command is
 * repeated. */
static void on_signal(int number)
{
    (void)number;
    if (atomic_fetch_add(&asked, 1) >= 1)
        _exit(EXIT_INTERRUPTED);
}

atomic_int *signals_watch(void)
{
    struct sigaction action = {.sa_handler = on_signal};

    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN); /* a server that hangs up must not end the crawl */
    return &asked;
}

void signals_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
}

static sigset_t three_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

void signals_block(void)
{
    sigset_t set = three_signals();

    sigprocmask(SIG_BLOCK, &set, NULL);
}

void signals_wait(void)
{
    sigset_t set = three_signals();
    int got;

    sigwait(&set, &got);
}
