// Sockets between processes of this machine, and programs that outlive the one that starts them.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The most bytes of a socket's path.
size_t cs_socket_path_limit(void);

// A socket for streams of bytes between processes: close-on-exec, never blocking.
int cs_socket(void);
// Gives it a name, with the permissions 0600 from the first moment, and listens; or connects it to one.
int cs_socket_listen(int fd, const char *path, int backlog);
int cs_socket_connect(int fd, const char *path);
// The next connection: close-on-exec, never blocking.
int cs_socket_accept(int fd);
// The user of the process at the other end, as it was when it connected or listened.
int cs_socket_peer(int fd, uid_t *user);
// 1 if it is such a socket and listens, 0 if not.
int cs_socket_listens(int fd);
// 1 if it was given this path as its name, 0 if not.
int cs_socket_is_at(int fd, const char *path);
// Two ends of a pipe, close-on-exec.
int cs_pipe(int ends[2]);
// Makes a descriptor that was handed in close-on-exec and never blocking.
int cs_adopt(int fd);

// The signal that a descriptor of cs_signalfd tells of next; 0 if there is none.
int cs_signalfd_read(int fd);

// Starts a program in a session of its own, with / as working directory, no signal ignored or blocked, the null device
// as 0, 1 and 2, one descriptor of ours as 3 and no other. 0, or an error number.
int cs_spawn_detached(pid_t *child, const char *path, char *const *arguments, char *const *environment, int fd);
