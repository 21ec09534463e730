#include "pdf/pdf_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_CPU_SECONDS = 10,
    DEFAULT_SECONDS = 30,
    DEFAULT_MEMORY = 1 << 30,
    DEFAULT_OUTPUT = 32 << 20,
    FILES = 64,
    FILTER_MAX = 4096,    /* instructions, the kernel's limit */
    FIRST_FREE_FD = 10,   /* ours lie above those that the program gets */
    UNCONFINED = 125,     /* exit status: the process could not be confined */
    NOT_STARTED = 126,
    NICENESS = 10
};

struct pdf_reader {
    char program[PATH_MAX];
    struct pdf_limits limits;
    struct sock_fprog filter;
};

/* ---- the list of what is allowed ---- */

/* What a program needs that reads files and computes. Calls that this machine does not have are left out. */
static const char *const allowed[] = {
    "access", "arch_prctl", "brk", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "dup", "dup2", "dup3",
    "execve", "exit", "exit_group", "faccessat", "faccessat2", "fadvise64", "fcntl", "fstat", "fstatfs", "futex",
    "getcwd", "getdents64", "getegid", "geteuid", "getgid", "getpid", "getppid", "getrandom", "getrlimit", "gettid",
    "gettimeofday", "getuid", "ioctl", "lseek", "lstat", "madvise", "mmap", "mprotect", "mremap", "munmap", "nanosleep",
    "newfstatat", "pipe2", "poll", "pread64", "read", "readlink", "readlinkat", "readv", "restart_syscall", "rseq",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_yield", "set_robust_list",
    "set_tid_address", "sigaltstack", "stat", "statfs", "statx", "sysinfo", "time", "ugetrlimit", "uname", "write",
    "writev",
};

static int allow_calls(scmp_filter_ctx filter)
{
    const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    int wrong = 0;

    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        int call = seccomp_syscall_resolve_name(allowed[i]);

        if (call != __NR_SCMP_ERROR)
            wrong |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
    }
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, writing, 0));
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1, SCMP_A1(SCMP_CMP_MASKED_EQ, writing, 0));
    /* limits may be asked for, not changed */
    wrong |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1, SCMP_A2(SCMP_CMP_EQ, 0, 0));
    return wrong;
}

/* As the kernel takes it, so that the child of a process with threads need not allocate. */
static bool compile_filter(struct sock_fprog *out)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int fd = memfd_create("filter", MFD_CLOEXEC);
    struct sock_filter *code = calloc(FILTER_MAX, sizeof *code);
    ssize_t bytes = -1;

    SCENT_BUG_IF(!code);
    if (filter && fd >= 0 && allow_calls(filter) == 0 && seccomp_export_bpf(filter, fd) == 0)
        bytes = pread(fd, code, FILTER_MAX * sizeof *code, 0);
    if (filter)
        seccomp_release(filter);
    if (fd >= 0)
        close(fd);
    if (bytes <= 0) {
        free(code);
        return false;
    }
    *out = (struct sock_fprog){(unsigned short)((size_t)bytes / sizeof *code), code};
    return true;
}

/* ---- the program ---- */

static bool find_program(const char *name, char out[PATH_MAX])
{
    const char *path = getenv("PATH");
    struct str rest = str_of(path ? path : "/usr/bin:/bin"), folder;

    if (strchr(name, '/'))
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX && access(out, X_OK) == 0;
    while (str_split(&rest, ':', &folder))
        if (folder.len && folder.p[0] == '/' &&
            snprintf(out, PATH_MAX, "%.*s/%s", STR_ARG(folder), name) < PATH_MAX && access(out, X_OK) == 0)
            return true;
    return false;
}

struct pdf_reader *pdf_reader_new(const char *program, const struct pdf_limits *limits, struct errmsg *err)
{
    struct pdf_reader *reader = calloc(1, sizeof *reader);
    const char *named = program ? program : getenv("SCENT_PDF_READER");

    SCENT_BUG_IF(!reader);
    if (limits)
        reader->limits = *limits;
    reader->limits.cpu_seconds = reader->limits.cpu_seconds ? reader->limits.cpu_seconds : DEFAULT_CPU_SECONDS;
    reader->limits.seconds = reader->limits.seconds ? reader->limits.seconds : DEFAULT_SECONDS;
    reader->limits.memory = reader->limits.memory ? reader->limits.memory : DEFAULT_MEMORY;
    reader->limits.output = reader->limits.output ? reader->limits.output : DEFAULT_OUTPUT;
    if (!find_program(named ? named : "pdftohtml", reader->program))
        (void)errmsg_fail(err, SCENT_E_NOTFOUND, "%s is not installed (Debian: poppler-utils)",
                          named ? named : "pdftohtml");
    else if (!compile_filter(&reader->filter))
        (void)errmsg_fail(err, SCENT_E_UNSUPPORTED, "this system cannot confine the program that reads them");
    else
        return reader;
    free(reader);
    return NULL;
}

void pdf_reader_free(struct pdf_reader *reader)
{
    if (!reader)
        return;
    free(reader->filter.filter);
    free(reader);
}

/* ---- the child: only calls that are safe after a fork of a process with threads ---- */

static bool limit(int what, rlim_t most)
{
    const struct rlimit both = {most, most};

    return setrlimit((__rlimit_resource_t)what, &both) == 0;
}

static bool confine(const struct pdf_reader *reader)
{
    return limit(RLIMIT_CPU, reader->limits.cpu_seconds) && limit(RLIMIT_AS, reader->limits.memory) &&
           limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, FILES) &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &reader->filter, 0, 0) == 0;
}

/* Does not return. */
static void run_program(const struct pdf_reader *reader, int document, int output, int nothing)
{
    char *const args[] = {(char *)reader->program, (char *)"-q",   (char *)"-i",    (char *)"-stdout",
                          (char *)"-noframes",     (char *)"-enc", (char *)"UTF-8", (char *)"/dev/fd/3", NULL};
    char *const env[] = {(char *)"LC_ALL=C.UTF-8", (char *)"PATH=/usr/bin:/bin", NULL};
    sigset_t none;

    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpriority(PRIO_PROCESS, 0, NICENESS);
    if (dup2(nothing, 0) < 0 || dup2(output, 1) < 0 || dup2(nothing, 2) < 0 || dup2(document, 3) < 0 ||
        syscall(SYS_close_range, 4u, ~0u, 0u) != 0 || chdir("/") != 0 || !confine(reader))
        _exit(UNCONFINED);
    execve(reader->program, args, env);
    _exit(NOT_STARTED);
}

/* ---- the parent ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A descriptor above those of the program, closed by exec. */
static int above(int fd)
{
    int higher = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);

    if (fd >= 0)
        close(fd);
    return higher;
}

static int as_file(struct str bytes)
{
    int fd = above(memfd_create("document", MFD_CLOEXEC));

    while (fd >= 0 && bytes.len) {
        ssize_t n = write(fd, bytes.p, bytes.len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            close(fd);
            return -1;
        }
        bytes = str_sub(bytes, (size_t)n, bytes.len);
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Until the output ends. NULL: it did. */
static const char *collect(const struct pdf_reader *reader, int fd, int64_t until, struct buf *html)
{
    for (;;) {
        int64_t left = until - now_ms();
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        ssize_t n;

        if (left <= 0)
            return "the reader took too long";
        if (poll(&ready, 1, (int)left) < 0 && errno != EINTR)
            return "the reader could not be heard";
        if (!ready.revents)
            continue;
        if (html->len >= reader->limits.output)
            return "it has too much text";
        if (!buf_reserve(html, 65536))
            return "out of memory";
        n = read(fd, html->p + html->len, 65536);
        if (n == 0)
            return NULL;
        if (n > 0)
            html->len += (size_t)n;
        else if (errno != EINTR)
            return "the reader could not be heard";
    }
}

/* The child is dead afterwards. */
static const char *wait_for(pid_t child, int64_t until, bool at_once)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int status = 0;
    pid_t got;

    while ((got = waitpid(child, &status, WNOHANG)) == 0 && !at_once && now_ms() < until)
        nanosleep(&pause, NULL);
    if (got == 0) {
        kill(child, SIGKILL);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        return "the reader took too long";
    }
    if (got < 0)
        return "the reader could not be waited for";
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL ? "the reader took too long"
                                                                          : "the reader crashed";
    if (WEXITSTATUS(status) == UNCONFINED)
        return "the reader could not be confined";
    if (WEXITSTATUS(status) == NOT_STARTED)
        return "the reader could not be started";
    return WEXITSTATUS(status) ? "it is damaged or encrypted" : NULL;
}

static const char *read_from(const struct pdf_reader *reader, int document, int pipe[2], int nothing, struct buf *html)
{
    int64_t until = now_ms() + (int64_t)reader->limits.seconds * 1000;
    const char *wrong, *end;
    pid_t child = fork();

    if (child == 0)
        run_program(reader, document, pipe[1], nothing);
    close(pipe[1]);
    pipe[1] = -1;
    if (child < 0)
        return "the reader could not be started";
    wrong = collect(reader, pipe[0], until, html);
    end = wait_for(child, until, wrong != NULL);
    return wrong ? wrong : end;
}

const char *pdf_reader_read(const struct pdf_reader *reader, struct str pdf, struct buf *html)
{
    int document = as_file(pdf), nothing = above(open("/dev/null", O_RDWR | O_CLOEXEC)), ends[2] = {-1, -1};
    const char *wrong = "out of descriptors or memory for the reader";

    buf_clear(html);
    if (document >= 0 && nothing >= 0 && pipe2(ends, O_CLOEXEC) == 0) {
        ends[0] = above(ends[0]);
        ends[1] = above(ends[1]);
        if (ends[0] >= 0 && ends[1] >= 0)
            wrong = read_from(reader, document, ends, nothing, html);
    }
    for (size_t i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (document >= 0)
        close(document);
    if (nothing >= 0)
        close(nothing);
    if (wrong)
        buf_clear(html);
    return wrong;
}

static const char *read_page(const void *ctx, struct str body, struct buf *html)
{
    return pdf_reader_read(ctx, body, html);
}

struct page_reader pdf_reader_option(const struct pdf_reader *reader)
{
    return (struct page_reader){reader ? read_page : NULL, reader};
}
