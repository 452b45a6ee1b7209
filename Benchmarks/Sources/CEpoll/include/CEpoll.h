// Glibc's module leaves out epoll.
#include <sys/epoll.h>
