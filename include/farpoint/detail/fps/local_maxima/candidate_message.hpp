/// @file
/// Messages between the blocks of a team that samples a cloud by local maxima: how candidates and headers are divided
/// into words.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/local_maxima/rule.hpp>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Payload of a message: three words. The board adds a tag, the number of the round. One access writes or reads payload
/// and tag, so that a reader that finds the tag of a round has the payload of that round.
struct fps_words {
  std::uint32_t word[3];
};

/// Puts a number in words `At` and, if it is wide, `At + 1` of an array of messages.
template <unsigned At>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void put_words(fps_words* words, std::uint32_t value) noexcept {
  words[At / 3].word[At % 3] = value;
}
template <unsigned At>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void put_words(fps_words* words, std::uint64_t value) noexcept {
  put_words<At>(words, static_cast<std::uint32_t>(value));
  put_words<At + 1>(words, static_cast<std::uint32_t>(value >> 32));
}
/// The number that put_words() put there.
/// @tparam Word  std::uint32_t or std::uint64_t
template <unsigned At, class Word>
FARPOINT_HD FARPOINT_ALWAYS_INLINE Word get_words(fps_words const* words) noexcept {
  std::uint32_t const first = words[At / 3].word[At % 3];
  if constexpr (sizeof(Word) == 4) {
    return first;
  } else {
    return static_cast<Word>(words[(At + 1) / 3].word[(At + 1) % 3]) << 32 | first;
  }
}

/// A candidate in messages: one or two of coordinates, then one of the key.
///
/// | key | coordinates | key's message |
/// |---|---|---|
/// | fps_key | a word each | distance, low |
/// | fps_wide_key | two words each | distance (2 words), low |
template <int Dim, class Scalar>
struct candidate_message {
  using ball = fps_ball<Dim, Scalar>;
  using key_type = fps_key_for<Scalar>;
  using word = lane_word<Scalar>;

  /// Words of a scalar.
  static constexpr unsigned width = sizeof(Scalar) / 4;
  /// Messages of a candidate. All have the tag of their round, and none is written twice in a round: a reader that has
  /// seen the tag on each has the whole candidate.
  static constexpr unsigned count = (unsigned{Dim} * width + 2) / 3 + 1;

  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void pack(ball const& candidate, key_type const& key,
                                                      fps_words* words) noexcept {
    put_axis<0>(candidate, words);
    put_words<key_at>(words, fps_distance_bits(key));
    put_words<key_at + width>(words, fps_low_of(key));
  }
  /// Returns the key.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static key_type unpack(fps_words const* words, ball& candidate) noexcept {
    get_axis<0>(words, candidate);
    word const distance = get_words<key_at, word>(words);
    candidate.radius2 = scalar_of(distance);
    return fps_key_of_bits(distance, get_words<key_at + width, std::uint32_t>(words));
  }

 private:
  static constexpr unsigned key_at = 3 * (count - 1);

  FARPOINT_HD FARPOINT_ALWAYS_INLINE static Scalar scalar_of(word bits) noexcept {
    return ordered_integer_value<Scalar>(static_cast<std::make_signed_t<word>>(bits));
  }
  template <int Axis>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void put_axis(ball const& candidate, fps_words* words) noexcept {
    if constexpr (Axis < Dim) {
      put_words<unsigned{Axis} * width>(words, static_cast<word>(ordered_integer(candidate.centre[Axis])));
      put_axis<Axis + 1>(candidate, words);
    }
  }
  template <int Axis>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void get_axis(fps_words const* words, ball& candidate) noexcept {
    if constexpr (Axis < Dim) {
      candidate.centre[Axis] = scalar_of(get_words<unsigned{Axis} * width, word>(words));
      get_axis<Axis + 1>(words, candidate);
    }
  }
};

/// A block's header of a round: the number of its candidates above the cut, the number that it lists, and its best key
/// that is not listed, or, without a list, the largest distance of its points.
template <class Scalar>
struct header_message {
  using key_type = fps_key_for<Scalar>;
  using word = lane_word<Scalar>;
  static constexpr unsigned width = sizeof(Scalar) / 4;
  /// Messages of a header: found and listed are in the first, the lower half of a wide key is in the second.
  static constexpr unsigned count = width;

  word high;          ///< upper part of the key; without a list the largest distance as an ordered word
  std::uint32_t low;  ///< lower part of the key
  unsigned found;     ///< 65,535 at most
  unsigned listed;    ///< 255 at most

  /// The best key that is not listed, where there is a list; key_type{}: all candidates above the cut are listed.
  FARPOINT_HD FARPOINT_ALWAYS_INLINE key_type left() const noexcept { return fps_key_of_bits(high, low); }

  FARPOINT_HD FARPOINT_ALWAYS_INLINE void pack(fps_words* words) const noexcept {
    put_words<0>(words, high);
    put_words<low_at>(words, low);
    put_words<2>(words, std::uint32_t{found << 8 | listed});
  }
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static header_message unpack(fps_words const* words) noexcept {
    std::uint32_t const counts = get_words<2, std::uint32_t>(words);
    return {get_words<0, word>(words), get_words<low_at, std::uint32_t>(words), counts >> 8, counts & 0xff};
  }

 private:
  static constexpr unsigned low_at = width == 1 ? 1 : 3;
};

/// Maximum of keys over threads in a counter in shared memory, in two steps with a barrier between them, and one
/// behind. A wide key has more bits than an atomic operation: the threads first find the largest distance, then the
/// largest lower half at that distance. The counter is key 0 at the start.
template <class Machine>
struct key_maximum {
  FARPOINT_DEVICE static void first(fps_key& counter, fps_key key) noexcept {
    if (key != 0) Machine::max(&counter, key);
  }
  FARPOINT_DEVICE static void second(fps_key&, fps_key) noexcept {}

  FARPOINT_DEVICE static void first(fps_wide_key& counter, fps_wide_key const& key) noexcept {
    if (key.distance != 0) Machine::max(&counter.distance, key.distance);
  }
  FARPOINT_DEVICE static void second(fps_wide_key& counter, fps_wide_key const& key) noexcept {
    if (key.low != 0 && key.distance == counter.distance) Machine::max(&counter.low, key.low);
  }

  /// Sets a counter that one thread raises, or has the maximum set before.
  FARPOINT_DEVICE static void raise_alone(fps_key& counter, fps_key key) noexcept { Machine::max(&counter, key); }
  FARPOINT_DEVICE static void raise_alone(fps_wide_key& counter, fps_wide_key const& key) noexcept {
    counter = larger(counter, key);
  }

  /// Maximum of keys at one distance, in one step with a barrier behind.
  FARPOINT_DEVICE static void at_one_distance(fps_key& counter, fps_key key) noexcept { Machine::max(&counter, key); }
  FARPOINT_DEVICE static void at_one_distance(fps_wide_key& counter, fps_wide_key const& key) noexcept {
    Machine::max(&counter.low, key.low);
  }
  /// That maximum, behind the barrier. @param distance  its bits
  FARPOINT_DEVICE static fps_key found_at(std::uint32_t, fps_key counter) noexcept { return counter; }
  FARPOINT_DEVICE static fps_wide_key found_at(std::uint64_t distance, fps_wide_key const& counter) noexcept {
    return {distance, counter.low};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
