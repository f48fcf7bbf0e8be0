// Reads the blocks of points that the page carries. encode.hpp has their format.

const BASE64_DIGITS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((digit, value) => {
  BASE64_DIGITS[digit.charCodeAt(0)] = value;
});

function decodeBase64(text) {
  // Browsers of 2025 and later have it; it throws for a block that a truncated file ends with.
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text.slice(0, text.length - (text.length % 4)));
  const bytes = new Uint8Array((text.length / 4) * 3);
  const digit = (i) => BASE64_DIGITS[text.charCodeAt(i)];
  for (let from = 0, to = 0; to < bytes.length; from += 4, to += 3) {
    const three = (digit(from) << 18) | (digit(from + 1) << 12) | (digit(from + 2) << 6) | digit(from + 3);
    bytes[to] = three >> 16;
    bytes[to + 1] = three >> 8;
    bytes[to + 2] = three;
  }
  return bytes;
}

class ByteReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }
  byte() { return this.bytes[this.at++]; }
  varint() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    let unit = 128;
    do {
      byte = this.bytes[this.at++];
      value += (byte & 127) * unit; // no shifts: a value may have 53 bits
      unit *= 128;
    } while (byte >= 128);
    return value;
  }
  signed() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
  /** `count` numbers of a typed array's type; a copy, because typed arrays need aligned bytes. */
  numbers(Type, count) {
    const size = count * Type.BYTES_PER_ELEMENT;
    this.at += size;
    return new Type(this.bytes.slice(this.at - size, this.at).buffer);
  }
}

/** Code of a missing value of an attribute: in the file, and in memory if all other codes fit into 32 bits. */
const NO_INTEGER = -(2 ** 51);
const NO_INT32 = -(2 ** 31);
const NO_STEP = 0xffff;

function decodeIndices(reader, count) {
  const first = reader.varint();
  const runs = reader.varint();
  if (runs === 1) {
    reader.varint();
    reader.varint();
    return { first, list: null };
  }
  const list = new Uint32Array(count);
  let index = first;
  let at = 0;
  for (let run = 0; run < runs; ++run) {
    for (let length = reader.varint(); length > 0; --length) list[at++] = index++;
    index += reader.varint();
  }
  return { first, list };
}

/** Coordinates in the scene's frame: p = origin + scale q. */
function decodePositions(reader, count, bits) {
  if (reader.byte() === 1) return reader.numbers(Float32Array, 3 * count);
  const positions = new Float32Array(3 * count);
  const step = 2 ** -bits;
  let x = 0;
  let y = 0;
  let z = 0;
  for (let i = 0; i < positions.length; i += 3) {
    positions[i] = (x += reader.signed()) * step;
    positions[i + 1] = (y += reader.signed()) * step;
    positions[i + 2] = (z += reader.signed()) * step;
  }
  return positions;
}

function decodeIntegers(reader, count, wide) {
  const values = wide ? new Float64Array(count) : new Int32Array(count);
  const none = wide ? NO_INTEGER : NO_INT32;
  let value = 0;
  for (let i = 0; i < count; ++i) {
    value += reader.signed();
    values[i] = value === NO_INTEGER ? none : value;
  }
  return values;
}

/** The codes of an attribute, as attributeValue() reads them. */
function decodeAttribute(reader, count, attribute) {
  switch (attribute.code) {
    case "integers": return decodeIntegers(reader, count, attribute.wide);
    case "steps": return reader.numbers(Uint16Array, count);
    case "directions": return reader.numbers(Uint16Array, 2 * count);
    default: return reader.numbers(Uint8Array, 3 * count);
  }
}

function decodeBlock(text, scene) {
  const reader = new ByteReader(decodeBase64(text));
  const cloud = reader.varint();
  const count = reader.varint();
  const indices = decodeIndices(reader, count);
  const positions = decodePositions(reader, count, scene.bits);
  const codes = scene.clouds[cloud].attributes.map((attribute) => decodeAttribute(reader, count, attribute));
  return { cloud, count, indices, positions, codes };
}

/** Index in the cloud of point `i` of a block. */
function indexInCloud(block, i) {
  return block.indices.list ? block.indices.list[i] : block.indices.first + i;
}

/** Position in a block of point `index` of the cloud; -1 if the block does not have the point. */
function placeInBlock(block, index) {
  const { first, list } = block.indices;
  if (!list) return index >= first && index < first + block.count ? index - first : -1;
  return list.indexOf(index);
}

function decodeDirection(u, v) {
  if (u === NO_STEP) return null;
  let x = (2 * u) / (NO_STEP - 1) - 1;
  let y = (2 * v) / (NO_STEP - 1) - 1;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) {
    const unfolded = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
    y = (1 - Math.abs(x)) * (y < 0 ? -1 : 1);
    x = unfolded;
  }
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

/** A number, three numbers, or null for none. */
function attributeValue(attribute, codes, i) {
  switch (attribute.code) {
    case "integers": return codes[i] === (attribute.wide ? NO_INTEGER : NO_INT32) ? null : codes[i];
    case "steps": {
      if (codes[i] === NO_STEP) return null;
      const share = codes[i] / (NO_STEP - 1);
      return attribute.range.low * (1 - share) + attribute.range.high * share;
    }
    case "directions": return decodeDirection(codes[2 * i], codes[2 * i + 1]);
    default: return [codes[3 * i], codes[3 * i + 1], codes[3 * i + 2]];
  }
}
