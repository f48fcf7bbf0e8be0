// Results: one line on the terminal for each, and all as JSON.
#pragma once

#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace farpoint_stress {

/// Outcome of a call during a load.
enum class fate {
  ok,
  starved,  ///< not done before the load ended
  refused,  ///< the call returned a failure
  wrong     ///< the answer differs from the host's
};

constexpr char const* to_string(fate what) noexcept {
  switch (what) {
    case fate::ok: return "ok";
    case fate::starved: return "STARVED";
    case fate::refused: return "REFUSED";
    case fate::wrong: return "WRONG";
  }
  return "?";
}

/// One call during one load.
struct load_row {
  std::string group;  ///< table of the load
  std::string load;
  std::string call;
  int limit = 0;         ///< multiprocessors that the call may use; 0: no limit
  double alone_ms = 0;   ///< median, without the load and without a limit
  double loaded_ms = 0;  ///< median, with the load and the limit
  fate outcome = fate::ok;
  std::string reason;  ///< message of a refusal
  bool is_failure = false;
};

/// Many calls at once.
struct crowd_row {
  std::string name;
  long calls = 0;
  long refused = 0;
  long wrong = 0;
  double seconds = 0;
};

/// Duration of a call on an idle GPU.
struct alone_row {
  std::string call;
  double ms = 0;       ///< median, from the call to the end of its work on the GPU
  double host_us = 0;  ///< median, of the host's call until it returns
};

/// Collects results; thread-safe.
class report {
 public:
  std::map<std::string, std::string> context;

  void add(load_row const& row) {
    std::lock_guard const lock{mutex_};
    loads_.push_back(row);
    if (row.is_failure) ++failures_;
    std::printf("%-34s %-38s limit %3d  %9.3f ms alone %9.3f ms  %s %s%s\n", row.load.c_str(), row.call.c_str(),
                row.limit, row.loaded_ms, row.alone_ms, to_string(row.outcome), row.reason.c_str(),
                row.is_failure ? "  <- FAILURE" : "");
    std::fflush(stdout);
  }
  void add(crowd_row const& row) {
    std::lock_guard const lock{mutex_};
    crowds_.push_back(row);
    if (row.wrong + row.refused > 0 || row.calls == 0) ++failures_;
    std::printf("%-46s %7ld calls in %.1f s: %ld wrong, %ld refused\n", row.name.c_str(), row.calls, row.seconds,
                row.wrong, row.refused);
    std::fflush(stdout);
  }
  void add(alone_row const& row) {
    std::lock_guard const lock{mutex_};
    alone_.push_back(row);
    std::printf("%-38s alone %9.3f ms, the call itself %6.1f us\n", row.call.c_str(), row.ms, row.host_us);
    std::fflush(stdout);
  }
  /// Adds a failure.
  void add_failure(std::string const& what) {
    std::lock_guard const lock{mutex_};
    notes_.push_back(what);
    ++failures_;
    std::printf("FAILURE: %s\n", what.c_str());
    std::fflush(stdout);
  }

  long failures() const {
    std::lock_guard const lock{mutex_};
    return failures_;
  }

  void write(std::string const& path) const {
    std::lock_guard const lock{mutex_};
    std::ofstream out{path};
    out << "{\n \"context\": {";
    char const* separator = "\n  ";
    for (auto const& [key, value] : context) {
      out << separator << quoted(key) << ": " << quoted(value);
      separator = ",\n  ";
    }
    out << "\n },\n";
    write_rows(out, "alone", alone_, [](auto& row_out, alone_row const& row) {
      row_out << "\"call\": " << quoted(row.call) << ", \"ms\": " << row.ms << ", \"host_us\": " << row.host_us;
    });
    write_rows(out, "loads", loads_, [](auto& row_out, load_row const& row) {
      row_out << "\"group\": " << quoted(row.group) << ", \"load\": " << quoted(row.load)
              << ", \"call\": " << quoted(row.call) << ", \"limit\": " << row.limit
              << ", \"alone_ms\": " << row.alone_ms << ", \"loaded_ms\": " << row.loaded_ms
              << ", \"outcome\": " << quoted(to_string(row.outcome)) << ", \"reason\": " << quoted(row.reason);
    });
    write_rows(out, "crowds", crowds_, [](auto& row_out, crowd_row const& row) {
      row_out << "\"name\": " << quoted(row.name) << ", \"calls\": " << row.calls << ", \"refused\": " << row.refused
              << ", \"wrong\": " << row.wrong << ", \"seconds\": " << row.seconds;
    });
    write_rows(out, "notes", notes_,
               [](auto& row_out, std::string const& what) { row_out << "\"failure\": " << quoted(what); });
    out << " \"failures\": " << failures_ << "\n}\n";
  }

 private:
  static std::string quoted(std::string const& text) {
    std::string result = "\"";
    for (char const c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c < ' ' ? ' ' : c;
    }
    return result + '"';
  }

  template <class Rows, class Write>
  static void write_rows(std::ostream& out, char const* name, Rows const& rows, Write const& write) {
    out << " \"" << name << "\": [";
    char const* separator = "\n  {";
    for (auto const& row : rows) {
      out << separator;
      write(out, row);
      out << "}";
      separator = ",\n  {";
    }
    out << "\n ],\n";
  }

  mutable std::mutex mutex_;
  std::vector<alone_row> alone_;
  std::vector<load_row> loads_;
  std::vector<crowd_row> crowds_;
  std::vector<std::string> notes_;
  long failures_ = 0;
};

}  // namespace farpoint_stress
