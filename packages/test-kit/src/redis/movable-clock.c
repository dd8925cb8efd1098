// Preloaded into a server, this answers for the time of day, which a test then moves. Monotonic clocks stay as they are,
// so that the server's own timers go on.
//
// SLUICE_TEST_CLOCK names a file of two whole numbers of 8 bytes, in microseconds: the time at which the clock stands
// (0: it runs), and how far it is ahead of the machine's.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *moved;

__attribute__((constructor)) static void open_clock(void) {
  const char *path = getenv("SLUICE_TEST_CLOCK");
  int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0) return;
  void *numbers = mmap(NULL, 2 * sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (numbers != MAP_FAILED) moved = numbers;
}

static int64_t moved_us(void) {
  struct timespec real;
  // Asked of the kernel, since the library's own function has the name of the one below.
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
  int64_t real_us = (int64_t)real.tv_sec * 1000000 + real.tv_nsec / 1000;
  if (!moved) return real_us;
  int64_t stands_us = moved[0];
  return stands_us ? stands_us : real_us + moved[1];
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  int64_t us = moved_us();
  now->tv_sec = us / 1000000;
  now->tv_usec = us % 1000000;
  return 0;
}

time_t time(time_t *now) {
  time_t seconds = moved_us() / 1000000;
  if (now) *now = seconds;
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return syscall(SYS_clock_gettime, clock, now);
  int64_t us = moved_us();
  now->tv_sec = us / 1000000;
  now->tv_nsec = us % 1000000 * 1000;
  return 0;
}
