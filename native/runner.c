/*
 * Runs a list of system calls, then becomes a program. What the calls are is decided in TypeScript
 * (src/sandbox/runner/program.ts has the same layout); there is no policy here.
 *
 * The list is a file on descriptor 3, or the one named by the first argument. Any call that fails and may not ends the
 * whole before the program is reached: the report at the file's beginning then says which one, and why.
 *
 * With two arguments it stays. Descriptor 3 is then a socket from which list after list is read, and each is run in a
 * child: a process this small is forked in a tenth of the time that a large one takes.
 *
 * Freestanding: no C library, no allocation, no relocation. Addresses in the list are offsets into its own data.
 */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long u64;
typedef long i64;

#if defined(__x86_64__)
enum { READ = 0, WRITE = 1, CLOSE = 3, KILL = 62, MMAP = 9, MUNMAP = 11, FCNTL = 72, SIGNALFD = 289, RT_SIGACTION = 13, RT_SIGPROCMASK = 14, IOCTL = 16, PREAD = 17, PWRITE = 18, CLONE = 56, WAIT4 = 61, EXIT_GROUP = 231,
       OPENAT = 257, READLINKAT = 267, PPOLL = 271, PROCESS_VM_READV = 310, CLOSE_RANGE = 436 };
static i64 call(u64 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  register u64 r10 __asm__("r10") = d;
  register u64 r8 __asm__("r8") = e;
  register u64 r9 __asm__("r9") = f;
  i64 result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return result;
}
__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call run\n");
#elif defined(__aarch64__)
enum { READ = 63, WRITE = 64, CLOSE = 57, KILL = 129, MMAP = 222, MUNMAP = 215, FCNTL = 25, SIGNALFD = 74, RT_SIGACTION = 134, RT_SIGPROCMASK = 135, IOCTL = 29, PREAD = 67, PWRITE = 68, CLONE = 220, WAIT4 = 260, EXIT_GROUP = 94,
       OPENAT = 56, READLINKAT = 78, PPOLL = 73, PROCESS_VM_READV = 270, CLOSE_RANGE = 436 };
static i64 call(u64 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
  register u64 x8 __asm__("x8") = n;
  register u64 x0 __asm__("x0") = a;
  register u64 x1 __asm__("x1") = b;
  register u64 x2 __asm__("x2") = c;
  register u64 x3 __asm__("x3") = d;
  register u64 x4 __asm__("x4") = e;
  register u64 x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return (i64)x0;
}
__asm__(".globl _start\n_start:\n mov x0, sp\n bl run\n");
#else
#error "no such architecture here"
#endif

enum { LIST = 3, FAILED = 125, PAGE = 4096, EPERM = 1, EINTR = 4, MAGIC = 0x314e5254 };

/* The beginning of the file. The part from `state` on is written back: how far it came. */
struct list {
  u32 magic, calls, relocations, bytes;
  u32 state, step, error, status;
};
enum { STATE = 16, RUNNING = 0, STOPPED = 1, ENDED = 2 };

/* Bits of `flags`: 0-5 the argument is an offset into the data; 6-11 it is the number of a register. */
struct step {
  u32 number, flags, store, into;
  u64 arguments[6];
};
enum { MAY_FAIL = 1 << 12, STORE = 1 << 13 };

/* Not a system call: the child goes on with the list, the parent waits for it and ends as it did. */
enum { FORK = 0xf0000001u };

static struct list *list;
static u8 *data;

/* ---- news of the lists that came in through a socket ---- */

/* Ours of both ends; -1 when there is none. */
static i64 socket = -1;
/* By which number the list that is being run was asked for. */
static u32 request;

/* What is told of a list: that its program was started, or which step failed and why; then how the program ended. */
struct news {
  u32 what, about, value, more;
};
enum { HAS_STARTED = 1, HAS_STOPPED = 2, HAS_ENDED = 3 };

static void tell(u32 what, u32 about, u32 value, u32 more) {
  struct news news = {what, about, value, more};
  call(WRITE, (u64)socket, (u64)&news, sizeof news, 0, 0, 0);
}

/* The compiler calls these by itself. */
__attribute__((used)) void *memset(void *to, int value, u64 count) {
  for (u64 i = 0; i < count; i++) ((u8 *)to)[i] = (u8)value;
  return to;
}

__attribute__((used)) void *memcpy(void *to, const void *from, u64 count) {
  for (u64 i = 0; i < count; i++) ((u8 *)to)[i] = ((const u8 *)from)[i];
  return to;
}

static __attribute__((noreturn)) void leave(u64 status) {
  for (;;) call(EXIT_GROUP, status, 0, 0, 0, 0, 0);
}

/* The first who has something to say is heard: the others only saw it end. */
static void report(u32 state, u32 step, u32 error, u32 status) {
  u32 words[4] = {state, step, error, status};
  u32 known = RUNNING;
  call(PREAD, LIST, (u64)&known, sizeof known, STATE, 0, 0);
  if (known == RUNNING) call(PWRITE, LIST, (u64)words, sizeof words, STATE, 0, 0);
}

static __attribute__((noreturn)) void stop(u32 step, i64 result) {
  if (socket < 0) report(STOPPED, step, (u32)-result, 0);
  else tell(HAS_STOPPED, request, step, (u32)-result);
  leave(FAILED);
}

/* ---- watching: calls of the program that were not answered by the kernel but handed to us ---- */

struct notification {
  u64 id;
  u32 pid, flags;
  i32 number;
  u32 architecture;
  u64 pointer, arguments[6];
};
struct answer {
  u64 id;
  i64 value;
  i32 error;
  u32 flags;
};
enum { RECEIVE = 0xc0502100u, SEND = 0xc0182101u, GO_ON = 1 };

/* Which arguments of a call are looked at; `NONE` for those it does not have, `CURRENT` for the folder it is in.
   With `REFUSED` in its entry the call fails, else the kernel answers it. */
struct watched {
  i32 number;
  u8 pointer, folder, length, entry;
};
enum { NONE = 0xff, CURRENT = 0xfe, REFUSED = 0x80 };

/* How to watch; part of the data. */
struct watch {
  i32 listener, processes;
  u32 table, entries, most_records, reserved;
};

/* One line of the record, followed by the bytes that were pointed to and the name of the folder. */
struct record {
  struct notification seen;
  u32 entry, copied, folder, end;
};

static u8 bytes[sizeof(struct record) + 3 * PAGE] __attribute__((aligned(16)));
static u64 record_end;

/* Two pages at most, each by itself: the second one may not be there. */
static u32 copy_from(u32 pid, u64 address, u64 length, u8 *into) {
  u64 first = PAGE - (address & (PAGE - 1));
  if (length > PAGE) length = PAGE;
  if (first > length) first = length;
  u64 local[2] = {(u64)into, length};
  u64 remote[4] = {address, first, address + first, length - first};
  i64 copied = call(PROCESS_VM_READV, pid, (u64)local, 1, (u64)remote, length > first ? 2 : 1, 0);
  return copied < 0 ? 0 : (u32)copied;
}

static u8 *put_number(u8 *at, u32 number) {
  u8 digits[10];
  u32 count = 0;
  do digits[count++] = (u8)('0' + number % 10);
  while (number /= 10);
  while (count) *at++ = digits[--count];
  return at;
}

static u8 *put_text(u8 *at, const char *text) {
  while (*text) *at++ = (u8)*text++;
  return at;
}

static u32 folder_of(const struct notification *seen, u8 argument, i32 processes, u8 *into) {
  u8 name[40];
  i32 descriptor = argument == CURRENT ? -1 : (i32)seen->arguments[argument];
  u8 *at = put_number(name, seen->pid);
  at = descriptor < 0 ? put_text(at, "/cwd") : put_number(put_text(at, "/fd/"), (u32)descriptor);
  *at = 0;
  i64 length = call(READLINKAT, (u64)(i64)processes, (u64)name, (u64)into, PAGE, 0, 0);
  return length < 0 ? 0 : (u32)length;
}

static void keep_record(const struct watch *how, const struct watched *what, const struct notification *seen) {
  struct record *record = (struct record *)bytes;
  u8 *text = bytes + sizeof *record;
  record->seen = *seen;
  record->entry = what->entry & ~REFUSED;
  u64 length = what->length == NONE ? PAGE : seen->arguments[what->length];
  record->copied = what->pointer == NONE ? 0 : copy_from(seen->pid, seen->arguments[what->pointer], length, text);
  record->folder = what->folder == NONE ? 0 : folder_of(seen, what->folder, how->processes, text + record->copied);
  record->end = MAGIC;
  u64 size = (sizeof *record + record->copied + record->folder + 7) & ~7ul;
  if (call(PWRITE, LIST, (u64)bytes, size, record_end, 0, 0) == (i64)size) record_end += size;
}

static void answer(const struct watch *how, u32 *kept) {
  struct notification seen = {0};
  if (call(IOCTL, (u64)how->listener, RECEIVE, (u64)&seen, 0, 0, 0) < 0) return;
  const struct watched *table = (const struct watched *)(data + how->table);
  u32 refused = 0;
  for (u32 i = 0; i < how->entries; i++) {
    if (table[i].number != seen.number) continue;
    refused |= table[i].entry & REFUSED;
    if ((*kept)++ < how->most_records) keep_record(how, &table[i], &seen);
  }
  struct answer given = {seen.id, 0, refused ? -EPERM : 0, refused ? 0 : GO_ON};
  call(IOCTL, (u64)how->listener, SEND, (u64)&given, 0, 0, 0);
}

struct polled {
  i32 descriptor;
  u16 wanted, seen;
};

static void watch_until(i32 child, const struct watch *how) {
  struct polled both[2] = {{how->listener, 1, 0}, {child, 1, 0}};
  u32 kept = 0;
  while (!both[1].seen) {
    if (call(PPOLL, (u64)both, 2, 0, 0, 8, 0) < 0) continue;
    if (both[0].seen & 1) answer(how, &kept);
    /* Nobody is left who could call. */
    else if (both[0].seen) both[0].descriptor = -1;
  }
}

/* ---- the parent's side of a fork ---- */

/* A keyboard's signals are for the program; whoever waits for it does not die of them. */
static const u8 signals[] = {1, 2, 3, 13, 15};

static void ignore_signals(void) {
  u64 ignore[4] = {1, 0, 0, 0};
  for (u32 i = 0; i < sizeof signals; i++) call(RT_SIGACTION, signals[i], (u64)ignore, 0, 8, 0, 0);
}

/* The program may be there before we ignore them: until then they wait. Returns those that were held back before. */
static u64 hold_signals(void) {
  u64 held = 0, before = 0;
  for (u32 i = 0; i < sizeof signals; i++) held |= 1ul << (signals[i] - 1);
  call(RT_SIGPROCMASK, 0, (u64)&held, (u64)&before, 8, 0, 0);
  return before;
}

static void release_signals(u64 before) {
  call(RT_SIGPROCMASK, 2, (u64)&before, 0, 8, 0, 0);
}

static void close_from(u64 first, u64 but) {
  if (but > first) call(CLOSE_RANGE, first, but - 1, 0, 0, 0, 0);
  call(CLOSE_RANGE, but >= first ? but + 1 : first, ~0u, 0, 0, 0, 0);
}

/* Whoever is left of the program has become our child. Killing one may make another ours, so it is done until none is. */
static void end_children(void) {
  static u8 text[PAGE];
  for (;;) {
    i64 file = call(OPENAT, (u64)-100l, (u64)"/proc/thread-self/children", 02000000, 0, 0, 0);
    i64 length = file < 0 ? 0 : call(READ, (u64)file, (u64)text, sizeof text, 0, 0, 0);
    if (file >= 0) call(CLOSE, (u64)file, 0, 0, 0, 0, 0);
    u64 number = 0;
    for (i64 i = 0; i < length; i++) {
      if (text[i] >= '0' && text[i] <= '9') number = number * 10 + text[i] - '0';
      else if (number) { call(KILL, number, 9, 0, 0, 0, 0); number = 0; }
    }
    /* Without the list nobody can be named; whoever is left then outlives us. */
    if (length <= 0 || call(WAIT4, (u64)-1l, 0, 0, 0, 0, 0) < 0) return;
  }
}

/* Arguments: what to watch (0: nothing), whether this is who tells how the program ended, first descriptor to close,
   whether everything that is left is ended with it. */
static i64 fork(const u64 *arguments) {
  i32 descriptor = -1;
  u64 before = hold_signals();
  i64 child = call(CLONE, 0x1000 | 17, 0, (u64)&descriptor, 0, 0, 0);
  if (child > 0) ignore_signals();
  release_signals(before);
  if (child <= 0) return child;
  if (arguments[2]) close_from(arguments[2], (u64)descriptor);
  if (arguments[0]) watch_until(descriptor, (const struct watch *)(data + arguments[0]));
  for (;;) {
    i32 status = 0;
    i64 ended = call(WAIT4, (u64)-1l, (u64)&status, 0, 0, 0, 0);
    if (ended == child) {
      if (arguments[3]) end_children();
      if (arguments[1]) report(ENDED, 0, 0, (u32)status);
      leave(status & 127 ? 128 + (status & 127) : (status >> 8) & 255);
    }
    if (ended < 0 && ended != -EINTR) leave(FAILED);
  }
}

static i64 perform(const struct step *step, u64 *registers) {
  u64 values[6];
  for (u32 i = 0; i < 6; i++) {
    u64 value = step->arguments[i];
    if (step->flags & 1u << i) value += (u64)data;
    if (step->flags & 1u << (6 + i)) value = registers[value & 1023];
    values[i] = value;
  }
  if (step->number == FORK) return fork(step->arguments);
  return call(step->number, values[0], values[1], values[2], values[3], values[4], values[5]);
}

static int is_error(i64 result) {
  return result < 0 && result > -PAGE;
}

static __attribute__((noreturn)) void run_list(void) {
  const struct step *steps = (const struct step *)(list + 1);
  const u32 *relocations = (const u32 *)(steps + list->calls);
  data = (u8 *)(relocations + list->relocations + (list->relocations & 1));
  for (u32 i = 0; i < list->relocations; i++) *(u64 *)(data + relocations[i]) += (u64)data;
  u64 registers[1024] = {0};
  for (u32 i = 0; i < list->calls; i++) {
    i64 result = perform(&steps[i], registers);
    if (is_error(result) && !(steps[i].flags & MAY_FAIL)) stop(i, result);
    registers[steps[i].into & 1023] = (u64)result;
    if (steps[i].flags & STORE) *(u32 *)(data + steps[i].store) = (u32)result;
  }
  leave(0);
}

static void load(i64 from) {
  struct list head;
  if (from < 0 || call(PREAD, (u64)from, (u64)&head, sizeof head, 0, 0, 0) != sizeof head || head.magic != MAGIC) leave(FAILED);
  i64 at = call(MMAP, 0, head.bytes, 3, 2, (u64)from, 0);
  if (is_error(at)) leave(FAILED);
  list = (struct list *)at;
  record_end = (head.bytes + 7) & ~7ul;
}

/* ---- staying ---- */

/* Whoever sends is gone: nothing is left to do. */
static void receive(u8 *into, u64 count) {
  while (count) {
    i64 got = call(READ, (u64)socket, (u64)into, count, 0, 0, 0);
    if (got == -EINTR) continue;
    if (got <= 0) leave(0);
    into += got;
    count -= (u64)got;
  }
}

/* The child has our memory to itself, but we go on only when it has become its program or is no more: what it has to
   tell of a step that failed comes before what we tell. */
static void start_next(u64 signals_before) {
  struct list head;
  receive((u8 *)&request, sizeof request);
  receive((u8 *)&head, sizeof head);
  i64 at = call(MMAP, 0, head.bytes, 3, 0x22, (u64)-1l, 0);
  if (head.magic != MAGIC || head.bytes < sizeof head || is_error(at)) leave(FAILED);
  list = (struct list *)at;
  *list = head;
  receive((u8 *)(list + 1), head.bytes - sizeof head);
  i64 child = call(CLONE, 0x4000 | 17, 0, 0, 0, 0, 0);
  if (child == 0) {
    release_signals(signals_before);
    run_list();
  }
  call(MUNMAP, (u64)at, head.bytes, 0, 0, 0, 0);
  if (child < 0) tell(HAS_STOPPED, request, 0, (u32)-child);
  else tell(HAS_STARTED, request, (u32)child, 0);
}

static void tell_who_ended(i64 ends) {
  static u8 signal[128];
  call(READ, (u64)ends, (u64)signal, sizeof signal, 0, 0, 0);
  for (;;) {
    i32 status = 0;
    i64 ended = call(WAIT4, (u64)-1l, (u64)&status, 1, 0, 0, 0);
    if (ended <= 0) return;
    tell(HAS_ENDED, (u32)ended, (u32)status, 0);
  }
}

/* Out of the way of the descriptors that programs are given. */
static i64 moved(i64 descriptor) {
  i64 high = call(FCNTL, (u64)descriptor, 1030, 100, 0, 0, 0);
  call(CLOSE, (u64)descriptor, 0, 0, 0, 0, 0);
  if (high < 0) leave(FAILED);
  return high;
}

static __attribute__((noreturn)) void stay(void) {
  u64 child_ended = 1ul << (17 - 1), before = 0;
  call(RT_SIGPROCMASK, 0, (u64)&child_ended, (u64)&before, 8, 0, 0);
  socket = moved(LIST);
  close_from(LIST, (u64)socket);
  i64 ends = moved(call(SIGNALFD, (u64)-1l, (u64)&child_ended, 8, 04000 | 02000000, 0, 0));
  for (;;) {
    struct polled both[2] = {{(i32)socket, 1, 0}, {(i32)ends, 1, 0}};
    if (call(PPOLL, (u64)both, 2, 0, 0, 8, 0) < 0) continue;
    if (both[1].seen) tell_who_ended(ends);
    if (both[0].seen) start_next(before);
  }
}

__attribute__((noreturn, used)) void run(u64 *stack) {
  if (stack[0] > 2) stay();
  /* One argument names the list. */
  load(stack[0] > 1 ? call(OPENAT, (u64)-100l, stack[2], 02000000, 0, 0, 0) : LIST);
  run_list();
}
