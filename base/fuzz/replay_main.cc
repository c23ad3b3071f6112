// A runner of fuzz targets without libFuzzer, so that an ordinary test exercises every parser: each
// corpus file as it is, then a fixed number of deterministic mutations.
//
//   target [--mutations=N] CORPUS_DIR_OR_FILE...
//
// After a crash, the input that caused it lies in $TEST_UNDECLARED_OUTPUTS_DIR (or the working
// directory) as "crash-input".
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

constexpr size_t kMaxInput = 1 << 16;

using Input = std::vector<uint8_t>;

const Input* g_running = nullptr;

void SaveRunningInput() {
  if (g_running == nullptr) return;
  const char* dir = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  const std::string path = std::string(dir != nullptr ? dir : ".") + "/crash-input";
  if (std::FILE* file = std::fopen(path.c_str(), "wb"); file != nullptr) {
    std::fwrite(g_running->data(), 1, g_running->size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input at fault is in %s (%zu bytes)\n", path.c_str(),
                 g_running->size());
  }
  g_running = nullptr;
}

void OnSignal(int signal) {
  SaveRunningInput();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void Run(const Input& input) {
  g_running = &input;
  // A block of the exact size lets AddressSanitizer see reads past the end.
  auto exact = std::make_unique<uint8_t[]>(input.size());
  if (!input.empty()) std::memcpy(exact.get(), input.data(), input.size());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
  g_running = nullptr;
}

std::vector<Input> ReadCorpus(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else if (std::filesystem::is_regular_file(path)) {
      files.push_back(path);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Input> inputs;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (inputs.back().size() > kMaxInput) inputs.back().resize(kMaxInput);
  }
  return inputs;
}

// Mutates inputs at random places, always in the same way for the same seed.
class Mutator {
 public:
  explicit Mutator(const std::vector<Input>& corpus) : corpus_(corpus), random_(20240229) {}

  Input Next() {
    Input input = corpus_[Below(corpus_.size())];
    for (size_t i = 0, n = 1 + Below(4); i < n; ++i) Mutate(input);
    if (input.size() > kMaxInput) input.resize(kMaxInput);
    return input;
  }

 private:
  size_t Below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  void Mutate(Input& input) {
    const size_t at = Below(input.size());
    const size_t length = Below(input.size() - at + 1);
    const auto begin = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (input.empty() ? 5 : Below(7)) {
      case 0:
        input[at] ^= static_cast<uint8_t>(1 << Below(8));
        break;
      case 1:
        input[at] = static_cast<uint8_t>(Below(256));
        break;
      case 2:
        input.resize(at);
        break;
      case 3:
        input.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
        break;
      case 4: {  // Duplicates a piece.
        const Input piece(begin, begin + static_cast<std::ptrdiff_t>(std::min<size_t>(length, 64)));
        input.insert(begin, piece.begin(), piece.end());
        break;
      }
      case 5: {  // Inserts a piece of another input.
        const Input& other = corpus_[Below(corpus_.size())];
        const size_t from = Below(other.size());
        const size_t count = Below(std::min<size_t>(other.size() - from, 64) + 1);
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at),
                     other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.begin() + static_cast<std::ptrdiff_t>(from + count));
        break;
      }
      default: {  // Inserts bytes that parsers treat as special.
        constexpr std::string_view kSpecial("\0\xff\x7f%&=:,\r\n\"\\{}[] ", 17);
        input[at] = static_cast<uint8_t>(kSpecial[Below(kSpecial.size())]);
      }
    }
  }

  const std::vector<Input>& corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  size_t mutations = 4000;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument(argv[i]);
    constexpr std::string_view kMutations = "--mutations=";
    if (argument.substr(0, kMutations.size()) == kMutations) {
      mutations = std::strtoull(argv[i] + kMutations.size(), nullptr, 10);
    } else {
      paths.emplace_back(argument);
    }
  }
  const std::vector<Input> corpus = ReadCorpus(paths);
  if (corpus.empty()) {
    std::fprintf(
        stderr,
        "no corpus file found in the %zu given paths: a fuzz target needs at least one seed\n",
        paths.size());
    return 1;
  }
  if (&__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(SaveRunningInput);
  std::signal(SIGABRT, OnSignal);
  for (const Input& input : corpus) Run(input);
  Mutator mutator(corpus);
  for (size_t i = 0; i < mutations; ++i) Run(mutator.Next());
  std::printf("%zu inputs\n", corpus.size() + mutations);
  return 0;
}
