// Replaces files by a temporary file in the same folder and rename().
#include "core/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

namespace crosswarp {
namespace {

namespace fs = std::filesystem;
using Facts = struct stat;

std::string reason() { return fmt::format("cannot be written ({})", std::strerror(errno)); }

std::optional<Facts> facts_of(const std::string& path) {
  Facts facts{};
  return stat(path.c_str(), &facts) == 0 ? std::optional(facts) : std::nullopt;
}

bool is_same_file(const Facts& a, const Facts& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// False on failure.
bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

mode_t new_mode() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

constexpr const char* unfinished_suffix = ".tmp";  // of a GrowingFile before publish()

/// False if another process holds the lock. True on file systems without locks.
bool lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

}  // namespace

std::string follow_links(const std::string& named) {
  constexpr int max_links = 40;
  std::error_code failed;
  fs::path path = named;
  for (int i = 0; i < max_links && fs::is_symlink(path, failed); ++i)
    path = path.parent_path() / fs::read_symlink(path);
  const fs::path resolved = fs::weakly_canonical(fs::absolute(path), failed);
  return failed ? path.string() : resolved.string();
}

bool is_growing(const std::string& path) {
  const std::string resolved = follow_links(path);
  const auto is_locked = [](const std::string& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool is_free = descriptor < 0 || lock(descriptor);
    if (descriptor >= 0) close(descriptor);
    return !is_free;
  };
  return is_locked(resolved) || is_locked(resolved + unfinished_suffix);
}

OutputFile::OutputFile(std::string option, const std::string& path, Existing existing)
    : option_(std::move(option)), named_(path), path_(follow_links(path)), existing_(existing) {
  if (path == "-") throw error("is no file (./- is one of that name)");
  check();
}

void OutputFile::check() const {
  const auto there = facts_of(path_);
  if (!there) {
    std::error_code failed;
    if (fs::is_symlink(path_, failed)) throw error("cannot be written (its links lead in a circle)");
    if (access(folder_of(path_).c_str(), W_OK | X_OK) != 0) throw error(reason());
    return;
  }
  if (S_ISDIR(there->st_mode)) throw error("cannot be written (it is a folder)");
  if (!S_ISREG(there->st_mode)) throw error("cannot be written (it is not a regular file)");
  if ((there->st_mode & 0222) == 0) throw error("cannot be written (it is read-only)");
  if (access(path_.c_str(), W_OK) != 0 || access(folder_of(path_).c_str(), W_OK | X_OK) != 0) throw error(reason());
  if (existing_ == Existing::refuse && there->st_size > 0) throw error("exists; --force-overwrite replaces it");
}

Error OutputFile::error(std::string_view why) const {
  return Error(fmt::format("{}{}{}: {}", option_, option_.empty() ? "" : " ", named_, why));
}

void OutputFile::write(std::string_view text) const {
  std::string unfinished = path_ + ".XXXXXX";
  const int descriptor = mkostemp(unfinished.data(), O_CLOEXEC);
  if (descriptor < 0) throw error(reason());
  const auto there = facts_of(path_);
  // Root keeps the owner of a file that it replaces; others need not, and cannot.
  [[maybe_unused]] const int owned = there ? fchown(descriptor, there->st_uid, there->st_gid) : 0;
  const bool is_written = fchmod(descriptor, there ? there->st_mode & 07777 : new_mode()) == 0 &&
                          write_all(descriptor, text) && fsync(descriptor) == 0 &&
                          rename(unfinished.c_str(), path_.c_str()) == 0;
  const std::string why = reason();
  close(descriptor);
  if (is_written) return;
  unlink(unfinished.c_str());
  throw error(why);
}

GrowingFile::GrowingFile(OutputFile file) : file_(std::move(file)), unfinished_(file_.path() + unfinished_suffix) {
  const auto refuse = [&](const std::string& why) {
    if (descriptor_ >= 0) close(descriptor_);
    return file_.error(why);
  };
  constexpr const char* taken = "another run is writing it";
  for (;;) {
    descriptor_ = open(unfinished_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    Facts mine{};
    if (descriptor_ < 0 || fstat(descriptor_, &mine) != 0) throw refuse(reason());
    if (!S_ISREG(mine.st_mode)) throw refuse(fmt::format("{} is not a regular file", unfinished_));
    if (!lock(descriptor_)) throw refuse(taken);
    const auto there = facts_of(unfinished_);
    if (there && is_same_file(*there, mine)) break;
    close(descriptor_);  // another process published it meanwhile
  }
  // A process that has published holds the lock of the published file.
  const int published = open(file_.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  const bool is_free = published < 0 || lock(published);
  if (published >= 0) close(published);
  if (!is_free) {
    unlink(unfinished_.c_str());
    throw refuse(taken);
  }
  if (ftruncate(descriptor_, 0) != 0) throw refuse(reason());
  try {
    file_.check();  // the run before may have ended meanwhile
  } catch (const Error&) {
    unlink(unfinished_.c_str());
    close(descriptor_);
    throw;
  }
}

GrowingFile::~GrowingFile() {
  if (!is_published_) unlink(unfinished_.c_str());
  close(descriptor_);
}

void GrowingFile::append(std::string_view text) {
  if (!write_all(descriptor_, text)) throw file_.error(reason());
}

void GrowingFile::publish() {
  if (rename(unfinished_.c_str(), file_.path().c_str()) != 0) throw file_.error(reason());
  is_published_ = true;
}

void require_distinct(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < files.size(); ++j) {
      const NamedFile &output = files[i], &other = files[j];
      if (i == j || !output.is_output || (other.is_output && j < i)) continue;
      const std::string a = follow_links(output.path), b = follow_links(other.path);
      const auto facts_a = facts_of(a), facts_b = facts_of(b);
      if (a == b || (facts_a && facts_b && is_same_file(*facts_a, *facts_b)))
        throw Error(fmt::format("{} {}: {}", output.option, output.path,
                                other.is_output ? fmt::format("is the file of {}, too", other.option)
                                                : "is an input of this command; name another file"));
    }
}

}  // namespace crosswarp
