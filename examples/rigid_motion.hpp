// Motions of a scanner, and the equations that find one: for the examples of scan matching.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

using vec3d = std::array<double, 3>;

/// A rotation and then a translation.
struct motion {
  std::array<vec3d, 3> rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  vec3d translation{};

  vec3d operator()(vec3d const& p) const {
    vec3d moved = translation;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) moved[i] += rotation[i][j] * p[j];
    }
    return moved;
  }
  /// This one after another.
  motion after(motion const& first) const {
    motion both;
    both.translation = (*this)(first.translation);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        both.rotation[i][j] = 0;
        for (std::size_t m = 0; m < 3; ++m) both.rotation[i][j] += rotation[i][m] * first.rotation[m][j];
      }
    }
    return both;
  }
};

/// By angles about z, y and x (rad).
inline motion make_motion(vec3d const& angles, vec3d const& translation) {
  motion made;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::size_t const next = (axis + 1) % 3;
    std::size_t const last = (axis + 2) % 3;
    motion turn;
    turn.rotation[next][next] = turn.rotation[last][last] = std::cos(angles[axis]);
    turn.rotation[last][next] = std::sin(angles[axis]);
    turn.rotation[next][last] = -turn.rotation[last][next];
    made = turn.after(made);
  }
  made.translation = translation;
  return made;
}

/// The motion that undoes a motion.
inline motion inverse(motion const& of) {
  motion back;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) back.rotation[i][j] = of.rotation[j][i];
  }
  vec3d const at = back(of.translation);
  back.translation = {-at[0], -at[1], -at[2]};
  return back;
}

/// A motion whose axes are of unit length and orthogonal again, after many products (Gram and Schmidt).
inline motion with_right_angles(motion of) {
  auto const dot = [](vec3d const& a, vec3d const& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  for (std::size_t i = 0; i < 3; ++i) {
    vec3d& axis = of.rotation[i];
    for (std::size_t j = 0; j < i; ++j) {
      double const along = dot(axis, of.rotation[j]);
      for (std::size_t c = 0; c < 3; ++c) axis[c] -= along * of.rotation[j][c];
    }
    double const length = std::sqrt(dot(axis, axis));
    for (double& coordinate : axis) coordinate /= length;
  }
  return of;
}

/// Least squares: adds up rows and solves the normal equations by elimination with pivots.
class six_unknowns {
 public:
  void add(std::array<double, 6> const& row, double right) {
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) equations_[i][j] += row[i] * row[j];
      equations_[i][6] += row[i] * right;
    }
  }
  std::array<double, 6> solve() {
    for (std::size_t i = 0; i < 6; ++i) {
      std::size_t pivot = i;
      for (std::size_t r = i + 1; r < 6; ++r) {
        if (std::abs(equations_[r][i]) > std::abs(equations_[pivot][i])) pivot = r;
      }
      std::swap(equations_[i], equations_[pivot]);
      for (std::size_t r = 0; r < 6; ++r) {
        double const factor = r == i ? 0 : equations_[r][i] / equations_[i][i];
        for (std::size_t j = i; j < 7; ++j) equations_[r][j] -= factor * equations_[i][j];
      }
    }
    std::array<double, 6> found{};
    for (std::size_t i = 0; i < 6; ++i) found[i] = equations_[i][6] / equations_[i][i];
    return found;
  }

 private:
  std::array<std::array<double, 7>, 6> equations_{};
};

/// Adds the equation of a point p that moves onto the plane through q with the normal n.
/// @param scale  distance (m) beyond which the point is an outlier and counts less (Geman and McClure 1987)
inline void add_point_to_plane(six_unknowns& equations, vec3d const& p, vec3d const& q, vec3d n, double scale) {
  auto const distance = [&] { return (q[0] - p[0]) * n[0] + (q[1] - p[1]) * n[1] + (q[2] - p[2]) * n[2]; };
  double const outlying = distance() / scale;
  for (double& coordinate : n) coordinate /= 1 + outlying * outlying;
  equations.add({p[1] * n[2] - p[2] * n[1], p[2] * n[0] - p[0] * n[2], p[0] * n[1] - p[1] * n[0], n[0], n[1], n[2]},
                distance());
}
