/* Servers that a test runs as children: badserver.py and nginx, on loopback, ended by their pid. */
#ifndef SCENT_TESTS_SERVER_H
#define SCENT_TESTS_SERVER_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct server {
    pid_t pid;
    int port;
    int in; /* badserver.py ends when this closes, so it cannot outlive a test that crashes */
};

static inline void server_stop(struct server *server)
{
    if (server->pid <= 0)
        return;
    if (server->in > 0)
        close(server->in);
    kill(server->pid, SIGTERM);
    waitpid(server->pid, NULL, 0);
    server->pid = 0;
}

static inline struct sockaddr_in server_address(int port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* A port that nobody listens on at this moment; 0: none. */
static inline int server_free_port(void)
{
    struct sockaddr_in address = server_address(0);
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), port = 0;

    if (bind(fd, (struct sockaddr *)&address, len) == 0 && getsockname(fd, (struct sockaddr *)&address, &len) == 0)
        port = ntohs(address.sin_port);
    close(fd);
    return port;
}

/* Waits until it accepts connections, at most ten seconds. */
static inline bool server_wait(struct server *server)
{
    for (int i = 0; i < 500; i++) {
        struct sockaddr_in address = server_address(server->port);
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        bool ended = waitpid(server->pid, NULL, WNOHANG) != 0;
        bool up = !ended && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;

        close(fd);
        if (up)
            return true;
        if (ended) {
            server->pid = 0;
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
    }
    return false;
}

/* A number on a line of its own, however many writes it came in; 0: the other end closed. */
static inline int server_read_number(int fd)
{
    char line[32] = "";
    size_t len = 0;

    while (len < sizeof line - 1 && read(fd, line + len, 1) == 1 && line[len] != '\n')
        len++;
    return atoi(line);
}

/* Runs `argv` with the given stdin and stdout (-1: ours). It is told to end when the test ends, however that ends. */
static inline pid_t server_spawn(char *const argv[], int in, int out)
{
    pid_t pid = fork();

    if (pid != 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (in >= 0)
        dup2(in, 0);
    if (out >= 0)
        dup2(out, 1);
    execvp(argv[0], argv);
    _exit(127);
}

/* Runs one of tests/crawl/'s servers; it prints its port when it listens. */
static inline bool server_start_script(struct server *server, char *const argv[])
{
    int in[2], out[2];

    *server = (struct server){0};
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        return false;
    server->pid = server_spawn(argv, in[0], out[1]);
    server->in = in[1];
    close(in[0]);
    close(out[1]);
    server->port = server_read_number(out[0]);
    close(out[0]);
    if (server->port == 0)
        server_stop(server);
    return server->port != 0;
}

/* The same, without arguments. */
static inline bool server_start_bad(struct server *server, const char *path)
{
    char *argv[] = {(char *)"python3", (char *)path, NULL};

    return server_start_script(server, argv);
}

/* Runs nginx in `folder` with `http` as the inside of its http block; `port` is waited for. False: no nginx here. */
static inline bool server_start_nginx(struct server *server, const char *folder, int port, const char *http)
{
    char conf[600], log[600];
    char *argv[] = {(char *)"nginx", (char *)"-p", (char *)folder, (char *)"-e", log, (char *)"-c", conf, NULL};
    const char *user = getuid() == 0 ? "user root;" : "";
    FILE *f;

    *server = (struct server){.port = port};
    snprintf(conf, sizeof conf, "%s/nginx.conf", folder);
    snprintf(log, sizeof log, "%s/error.log", folder);
    f = fopen(conf, "w");
    if (!f)
        return false;
    fprintf(f,
            "daemon off; %s worker_processes 1; pid %s/nginx.pid; error_log %s warn;\n"
            "events { worker_connections 8192; }\n"
            "http {\n access_log off; default_type text/html; keepalive_requests 1000000;\n"
            " client_body_temp_path %s/t1; proxy_temp_path %s/t2; fastcgi_temp_path %s/t3;\n"
            " uwsgi_temp_path %s/t4; scgi_temp_path %s/t5;\n%s\n}\n",
            user, folder, log, folder, folder, folder, folder, folder, http);
    fclose(f);
    server->pid = server_spawn(argv, -1, -1);
    if (server_wait(server))
        return true;
    server_stop(server);
    return false;
}

#endif
