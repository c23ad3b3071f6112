// The program that starts Steward out of the portable archive (tools/dev/archive.sh): it runs the
// loader in lib/ beside it, and the loader finds all libraries there. This program uses no library,
// so that it starts on every Linux. For the main thread of a process of its own.
#include <fcntl.h>
#include <linux/limits.h>
#include <stddef.h>
#include <sys/syscall.h>

namespace {

constexpr int kCannotRun = 127;  // as in shells
constexpr char kLibraries[] = "/lib";
constexpr char kLoader[] = "/lib/ld-linux-x86-64.so.2";
constexpr char kProgram[] = "/lib/steward";
constexpr size_t kLongestName = sizeof kLoader;

long Call(long number, long first, long second, long third) {
  long result = 0;
  // NOLINTNEXTLINE(hicpp-no-assembler): there is no library to call
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(first), "S"(second), "d"(third)
               : "rcx", "r11", "memory");
  return result;
}

template <typename T>
long Address(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

[[noreturn]] void Fail(const char* why, size_t size) {
  Call(SYS_write, 2, Address(why), static_cast<long>(size));
  for (;;) Call(SYS_exit_group, kCannotRun, 0, 0);
}

template <size_t N>
[[noreturn]] void Fail(const char (&why)[N]) {
  Fail(why, N - 1);
}

// A path below this program's own folder.
struct Path {
  char text[PATH_MAX + kLongestName];

  // `folder` is `size` characters long.
  template <size_t N>
  void Set(const char* folder, size_t size, const char (&name)[N]) {
    static_assert(N <= kLongestName);
    for (size_t i = 0; i < size; ++i) text[i] = folder[i];
    for (size_t i = 0; i < N; ++i) text[size + i] = name[i];
  }
};

// The limit of arguments that are passed on.
constexpr size_t kMostWords = 1 << 16;

char self[PATH_MAX];
Path loader;
Path libraries;
Path program;
const char* words[kMostWords];

[[noreturn]] void Run(size_t count, const char* const* arguments, const char* const* environment) {
  long size = Call(SYS_readlink, Address("/proc/self/exe"), Address(self), sizeof self);
  if (size <= 0 || size >= static_cast<long>(sizeof self)) {
    Fail("steward: /proc/self/exe does not say where this program lies\n");
  }
  while (size > 0 && self[size - 1] != '/') --size;
  const auto folder = static_cast<size_t>(size > 0 ? size - 1 : 0);
  loader.Set(self, folder, kLoader);
  libraries.Set(self, folder, kLibraries);
  program.Set(self, folder, kProgram);
  const char* const first[] = {
      loader.text,       "--argv0",        count > 0 ? arguments[0] : "steward",
      "--inhibit-cache", "--library-path", libraries.text,
      program.text};
  size_t at = 0;
  for (const char* word : first) words[at++] = word;
  for (size_t i = 1; i < count; ++i) {
    if (at + 1 >= kMostWords) Fail("steward: too many arguments\n");
    words[at++] = arguments[i];
  }
  Call(SYS_execve, Address(loader.text), Address(words), Address(environment));
  Fail("steward: lib/ld-linux-x86-64.so.2 beside this program cannot be run\n");
}

}  // namespace

// Called with the stack as the kernel leaves it: the number of arguments, the arguments, null, the
// environment, null.
extern "C" [[noreturn]] void StewardLaunch(const long* stack) {
  const auto count = static_cast<size_t>(*stack);
  const auto* arguments = reinterpret_cast<const char* const*>(stack + 1);
  Run(count, arguments, arguments + count + 1);
}

// NOLINTNEXTLINE(hicpp-no-assembler): where the kernel enters a program
asm(".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "  xor %ebp, %ebp\n"
    "  mov %rsp, %rdi\n"
    "  and $-16, %rsp\n"
    "  call StewardLaunch\n");
