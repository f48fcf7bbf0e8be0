/// @file
/// Format of the messages between blocks of a team: division of candidates and headers into words.
#pragma once

#include <farpoint/core/math.hpp>
#include <farpoint/core/ordered_bits.hpp>
#include <farpoint/detail/fps/local_maxima/rule.hpp>

#include <type_traits>

FARPOINT_BEGIN_NAMESPACE
namespace FARPOINT_HIDDEN detail {

/// Payload of a message: three words. The board adds a tag, the number of the round. Payload and tag are written or
/// read by one access, so that a reader of a round's tag also has the payload of this round.
struct fps_words {
  std::uint32_t word[3];
};

/// Writes a number to word `At` of an array of messages, and its upper half, if it has 64 bits, to word `At + 1`.
template <unsigned At>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void put_words(fps_words* words, std::uint32_t value) noexcept {
  words[At / 3].word[At % 3] = value;
}
template <unsigned At>
FARPOINT_HD FARPOINT_ALWAYS_INLINE void put_words(fps_words* words, std::uint64_t value) noexcept {
  put_words<At>(words, static_cast<std::uint32_t>(value));
  put_words<At + 1>(words, static_cast<std::uint32_t>(value >> 32));
}
/// Returns the number that put_words() wrote.
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

/// Format of a candidate: one or two messages of coordinates, then a message of the key.
///
/// | key | coordinates | message of the key |
/// |---|---|---|
/// | fps_key | a word each | distance, low |
/// | fps_wide_key | two words each | distance (2 words), low |
///
/// Example: a candidate of three doubles takes three messages: x and the lower word of y, the upper word of y and z,
/// distance and low.
template <int Dim, class Scalar>
struct candidate_message {
  using ball = fps_ball<Dim, Scalar>;
  using key_type = fps_key_for<Scalar>;
  using word = lane_word<Scalar>;

  /// Number of words of a scalar.
  static constexpr unsigned width = sizeof(Scalar) / 4;
  /// Number of messages of a candidate. A round writes each message once, with the tag of the round: a reader that has
  /// seen the tag on all messages has one whole candidate.
  static constexpr unsigned count = (unsigned{Dim} * width + 2) / 3 + 1;

  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void pack(ball const& candidate, key_type const& key,
                                                      fps_words* words) noexcept {
    put_axis<0>(candidate, words);
    put_words<key_at>(words, fps_distance_bits(key));
    put_words<key_at + width>(words, fps_low_of(key));
  }
  /// Reads a candidate and returns its key.
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
      put_words<unsigned{Axis} * width>(words, static_cast<word>(ordered_integer(candidate.center[Axis])));
      put_axis<Axis + 1>(candidate, words);
    }
  }
  template <int Axis>
  FARPOINT_HD FARPOINT_ALWAYS_INLINE static void get_axis(fps_words const* words, ball& candidate) noexcept {
    if constexpr (Axis < Dim) {
      candidate.center[Axis] = scalar_of(get_words<unsigned{Axis} * width, word>(words));
      get_axis<Axis + 1>(words, candidate);
    }
  }
};

/// Header of a block in a round: the number of its candidates above the cut, the number that it lists, and its best
/// unlisted key. A block that lists no candidate sends the largest distance of its points instead of the key.
template <class Scalar>
struct header_message {
  using key_type = fps_key_for<Scalar>;
  using word = lane_word<Scalar>;
  static constexpr unsigned width = sizeof(Scalar) / 4;
  /// Number of messages of a header. The first contains both counts; the second, if any, the lower half of a wide key.
  static constexpr unsigned count = width;

  word high;  ///< upper part of the key, or the largest distance as an ordered word if the block lists no candidate
  std::uint32_t low;  ///< lower part of the key
  unsigned found;     ///< number of candidates above the cut, at most 65,535
  unsigned listed;    ///< number of listed candidates, at most 255

  /// Returns the best unlisted key, or key_type{} if all candidates above the cut are listed. @pre listed > 0
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

/// Maximum of keys over threads, in a counter in shared memory that is initially key 0.
///
/// A wide key has more bits than an atomic operation. The threads therefore find the largest distance by first(), meet
/// at a barrier, find the largest lower half at this distance by second(), and meet at another barrier before the
/// counter is read. For narrow keys, first() does all the work.
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

  /// Raises a counter that no other thread raises at the same time.
  FARPOINT_DEVICE static void raise_alone(fps_key& counter, fps_key key) noexcept { Machine::max(&counter, key); }
  FARPOINT_DEVICE static void raise_alone(fps_wide_key& counter, fps_wide_key const& key) noexcept {
    counter = larger(counter, key);
  }

  /// Raises a counter to a key, where all threads pass keys of the same distance. A barrier precedes the call of
  /// found_at().
  FARPOINT_DEVICE static void at_one_distance(fps_key& counter, fps_key key) noexcept { Machine::max(&counter, key); }
  FARPOINT_DEVICE static void at_one_distance(fps_wide_key& counter, fps_wide_key const& key) noexcept {
    Machine::max(&counter.low, key.low);
  }
  /// Returns the maximum that at_one_distance() found. @param distance  bits of the distance that all keys have
  FARPOINT_DEVICE static fps_key found_at(std::uint32_t, fps_key counter) noexcept { return counter; }
  FARPOINT_DEVICE static fps_wide_key found_at(std::uint64_t distance, fps_wide_key const& counter) noexcept {
    return {distance, counter.low};
  }
};

}  // namespace detail
FARPOINT_END_NAMESPACE
