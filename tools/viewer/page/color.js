// Colors of points. Members of a choice of colors:
//
//     kind   "height", "cloud", or the kind of an attribute
//     which  for an attribute: its index in each cloud, or -1
//     low, high  for numbers: the ends of the scale

const CLOUD_COLORS = [[92, 138, 190], [240, 122, 38], [58, 168, 98], [186, 92, 196]];
const NO_COLOR = [132, 136, 142];

/** 256 colors, interpolated between anchors at equal distances. */
function makeScale(anchors) {
  return Array.from({ length: 256 }, (_, i) => {
    const place = (i / 255) * (anchors.length - 1);
    const from = Math.min(Math.floor(place), anchors.length - 2);
    return anchors[from].map((value, c) => Math.round(value + (anchors[from + 1][c] - value) * (place - from)));
  });
}

/** Scales of colors. Lightness grows along the first, for color-blind readers; the last two diverge from a middle. */
const SCALES = {
  "Indigo to yellow": makeScale([[82, 66, 172], [48, 116, 194], [30, 160, 156], [128, 198, 84], [250, 220, 62]]),
  Gray: makeScale([[70, 70, 74], [236, 236, 232]]),
  Heat: makeScale([[60, 16, 80], [160, 30, 96], [226, 80, 50], [248, 168, 50], [252, 240, 160]]),
  Rainbow: makeScale([[70, 50, 190], [40, 150, 230], [40, 200, 120], [200, 210, 60], [240, 140, 40], [200, 40, 40]]),
  "Blue to red": makeScale([[40, 80, 180], [130, 170, 220], [220, 220, 220], [230, 150, 120], [180, 40, 40]]),
};

function cssColor(rgb) {
  return `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]})`;
}

/** A scale as a CSS gradient from left to right. */
function cssScale(scale) {
  const stops = Array.from({ length: 16 }, (_, i) => cssColor(scale[17 * i]));
  return `linear-gradient(to right, ${stops.join(", ")})`;
}

/** Color of a label; neighboring labels have distant hues. */
function labelColor(label) {
  if (label < 0) return NO_COLOR;
  const hue = (label * 0.6180339887498949) % 1;
  const light = 138 + 34 * (((label * 0.7548776662466927) % 1) - 0.5);
  const channel = (phase) => Math.round(light + 88 * Math.cos(2 * Math.PI * (hue - phase)));
  return [channel(0), channel(1 / 3), channel(2 / 3)];
}

function scaleColor(scale, value, low, high) {
  const share = high > low ? (value - low) / (high - low) : 0.5;
  return scale[Math.round(255 * Math.min(Math.max(share, 0), 1))];
}

function attributeColor(choice, scale, value) {
  if (value === null) return NO_COLOR;
  switch (choice.kind) {
    case "label": return labelColor(value);
    case "direction": return value.map((c) => Math.round(127.5 + 127.5 * c));
    case "color": return value;
    default: return scaleColor(scale, value, choice.low, choice.high);
  }
}

/** The height of point `i` of a block. */
function heightOf({ positions }, i, { up, origin, scale }) {
  return up[0] * (origin[0] + scale * positions[3 * i]) + up[1] * (origin[1] + scale * positions[3 * i + 1]) +
    up[2] * (origin[2] + scale * positions[3 * i + 2]);
}

/** RGBA of a block's points. */
function paintBlock(block, choice, scale, scene) {
  const colors = new Uint8Array(4 * block.count);
  const which = choice.which ? choice.which[block.cloud] : -1;
  const attribute = which >= 0 ? scene.clouds[block.cloud].attributes[which] : null;
  for (let i = 0; i < block.count; ++i) {
    let color = NO_COLOR;
    if (choice.kind === "height") color = scaleColor(scale, heightOf(block, i, scene), choice.low, choice.high);
    else if (choice.kind === "cloud") color = CLOUD_COLORS[scene.clouds[block.cloud].series];
    else if (attribute) color = attributeColor(choice, scale, attributeValue(attribute, block.codes[which], i));
    colors[4 * i] = color[0];
    colors[4 * i + 1] = color[1];
    colors[4 * i + 2] = color[2];
    colors[4 * i + 3] = 255;
  }
  return colors;
}

/** Choices of colors: height, cloud and all attributes. Attributes of the same name and kind are one choice. */
function colorChoices(scene) {
  const join = (ranges) => ({
    low: Math.min(...ranges.map((range) => range.shownLow)),
    high: Math.max(...ranges.map((range) => range.shownHigh)),
    lowest: Math.min(...ranges.map((range) => range.low)),
    highest: Math.max(...ranges.map((range) => range.high)),
  });
  const drawn = scene.clouds.filter((cloud) => cloud.drawn > 0);
  const choices = [{ name: "Height", unit: scene.unit, kind: "height", ...join(drawn.map((cloud) => cloud.height)) }];
  if (scene.clouds.some(({ series }) => series > 0)) choices.push({ name: "Cloud", unit: "", kind: "cloud" });
  for (const { name, unit, kind } of scene.clouds.flatMap((cloud) => cloud.attributes)) {
    const isSame = (other) => other.name === name && other.kind === kind;
    if (choices.some((choice) => choice.which && isSame(choice))) continue;
    const which = scene.clouds.map((cloud) => cloud.attributes.findIndex(isSame));
    const ranges = scene.clouds.flatMap((cloud, i) =>
      which[i] >= 0 && cloud.drawn > 0 ? [cloud.attributes[which[i]].range] : []);
    choices.push({ name, unit, kind, which, ...join(ranges) });
  }
  return choices;
}
