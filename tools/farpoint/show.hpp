// Inputs and results of a command as a page that draws them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "session.hpp"
#include "visualize.hpp"

namespace farpoint_tools {

/// A page of one file, or of all files of a folder, which it plays one after another.
class page_maker {
 public:
  /// @param page   file to write
  /// @param title  name of the file or folder
  /// @param most   points, inputs and results together; of a longer sequence one file in 2, 4, 8, ... is shown
  page_maker(std::filesystem::path page, std::string title, std::size_t most)
      : page_{std::move(page)}, title_{std::move(title)}, most_{most} {}

  void set_up(farpoint_viewer::up_axis up) { up_ = up; }
  void add(std::string const& name, cloud input, outcome made);
  bool empty() const { return moments_.empty(); }
  std::filesystem::path const& page() const { return page_; }

  /// Writes the page: clouds with their columns, and a table of the figures. Colors and normals are shown as such.
  /// @param in_all  figures of all files together
  /// @throws file_error
  void write(figures const& in_all);

 private:
  struct moment {
    std::string name;
    cloud input;
    outcome made;
  };

  void thin_out();

  std::filesystem::path page_;
  std::string title_;
  farpoint_viewer::up_axis up_ = farpoint_viewer::up_axis::z;
  std::size_t most_, points_ = 0, added_ = 0;
  std::size_t step_ = 1;  ///< one file of every `step_` is kept
  std::vector<moment> moments_;
};

/// Opens the page in a browser, if there is one.
void open_page(std::filesystem::path const& page);

}  // namespace farpoint_tools
