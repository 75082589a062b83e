#define _GNU_SOURCE
#include "Sockets.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// The last byte of the field is the zero that ends the path.
size_t cs_socket_path_limit(void) { return sizeof(((struct sockaddr_un *)0)->sun_path) - 1; }

int cs_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

static int address(struct sockaddr_un *to, const char *path) {
    size_t length = strlen(path);
    if (length > cs_socket_path_limit()) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    memcpy(to->sun_path, path, length);
    return 0;
}

int cs_socket_listen(int fd, const char *path, int backlog) {
    struct sockaddr_un to;
    if (address(&to, path) != 0) return -1;
    // The file gets the permissions of the socket, less the umask: there is no moment with wider ones.
    if (fchmod(fd, S_IRUSR | S_IWUSR) != 0) return -1;
    if (bind(fd, (struct sockaddr *)&to, sizeof to) != 0) return -1;
    return listen(fd, backlog);
}

int cs_socket_connect(int fd, const char *path) {
    struct sockaddr_un to;
    if (address(&to, path) != 0) return -1;
    return connect(fd, (struct sockaddr *)&to, sizeof to);
}

int cs_socket_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int cs_socket_peer(int fd, uid_t *user) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0) return -1;
    *user = credentials.uid;
    return 0;
}

static int option(int fd, int name) {
    int value = -1;
    socklen_t length = sizeof value;
    return getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : -1;
}

int cs_socket_listens(int fd) {
    return option(fd, SO_DOMAIN) == AF_UNIX && option(fd, SO_TYPE) == SOCK_STREAM && option(fd, SO_ACCEPTCONN) == 1;
}

int cs_socket_is_at(int fd, const char *path) {
    struct sockaddr_un name;
    socklen_t length = sizeof name;
    memset(&name, 0, sizeof name);
    if (getsockname(fd, (struct sockaddr *)&name, &length) != 0) return 0;
    return name.sun_family == AF_UNIX && strncmp(name.sun_path, path, sizeof name.sun_path) == 0;
}

int cs_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int cs_adopt(int fd) {
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0) return -1;
    return fcntl(fd, F_SETFD, FD_CLOEXEC);
}

int cs_signalfd_read(int fd) {
    struct signalfd_siginfo info;
    ssize_t count;
    do count = read(fd, &info, sizeof info); while (count < 0 && errno == EINTR);
    return count == sizeof info ? (int)info.ssi_signo : 0;
}

int cs_spawn_detached(pid_t *child, const char *path, char *const *arguments, char *const *environment, int fd) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int result = posix_spawn_file_actions_init(&actions);
    if (result != 0) return result;
    result = posix_spawnattr_init(&attributes);
    if (result != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return result;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    // 3 first: it may be what stands at 0, 1 or 2. Made from itself, it loses close-on-exec too.
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, fd, 3);
    if (result == 0) result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, 0, 1);
    if (result == 0) result = posix_spawn_file_actions_adddup2(&actions, 0, 2);
    if (result == 0) result = posix_spawn_file_actions_addclosefrom_np(&actions, 4);
    if (result == 0) result = posix_spawn_file_actions_addchdir_np(&actions, "/");
    if (result == 0) result = posix_spawnattr_setsigmask(&attributes, &none);
    if (result == 0) result = posix_spawnattr_setsigdefault(&attributes, &all);
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (result == 0) result = posix_spawnattr_setflags(&attributes, flags);
    if (result == 0) result = posix_spawn(child, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}
