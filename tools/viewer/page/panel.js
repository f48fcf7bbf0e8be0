// The panel next to the picture: figures, legend, the picked point. All texts are inserted as text, never as HTML.

const byId = (id) => document.getElementById(id);

/** Creates an element with these children, which are elements or texts. */
function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function option(value, text) {
  return element("option", { value, textContent: text });
}

function swatch(rgb) {
  const made = element("i", {});
  made.style.background = cssColor(rgb);
  return made;
}

const countText = (count) => count.toLocaleString("en");
/** "19,988 voxels" for a cloud of voxels, which has a cube for each row, "4 points" for other clouds. */
function rowsText(cloud, count) {
  const name = cloud.cubes ? "voxel" : "point";
  return `${countText(count)} ${name}${count === 1 ? "" : "s"}`;
}
const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);
/** Six digits, which is the precision of values that are stored in steps. */
function numberText(value) {
  const rounded = Number(value.toPrecision(6));
  const size = Math.abs(rounded);
  const plain = size === 0 || (size >= 1e-4 && size < 1e15);
  return plain ? rounded.toLocaleString("en", { maximumFractionDigits: 9 }) : String(rounded);
}

/** The correct digits of a coordinate. */
function coordinateText(value, error) {
  const digits = error > 0 ? Math.min(Math.max(Math.floor(-Math.log10(error)), 0), 12) : 6;
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function valueText(attribute, value) {
  if (value === null) return "none";
  if (attribute.kind === "direction") return value.map((c) => c.toFixed(3)).join(", ");
  if (attribute.kind === "color") return value.join(", ");
  return withUnit(attribute.code === "integers" ? countText(value) : numberText(value), attribute.unit);
}

/** Fills a table with rows of names and values. */
function fillTable(table, rows) {
  table.tBodies[0].replaceChildren(...rows.map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row", textContent: name }), element("td", { textContent: value }))));
}

function showFigures(figures) {
  byId("figures").hidden = figures.length === 0;
  fillTable(document.querySelector("#figures table"), figures);
}

/** Shows the figures of one moment of a sequence. */
function showMomentFigures({ name, figures }) {
  byId("moment-figures").hidden = false;
  fillTable(document.querySelector("#moment-figures table"), [["Name", name], ...figures]);
}

function showClouds(clouds) {
  fillTable(byId("clouds"), clouds.map((cloud) => [
    cloud.name,
    rowsText(cloud, cloud.points) +
      (cloud.drawn < cloud.points ? `, ${countText(cloud.points - cloud.drawn)} left out as not finite` : ""),
  ]));
}

/** Shows a message for four seconds, in the line of the progress. */
function tell(text) {
  byId("progress").textContent = text;
  setTimeout(() => {
    if (byId("progress").textContent === text) byId("progress").textContent = "";
  }, 4000);
}

/** @param errors  the largest error of each cloud's coordinates */
function showErrors(scene, errors) {
  const largest = Math.max(0, ...errors);
  if (scene.clouds.every((cloud) => cloud.drawn === 0)) return;
  const size = Number(largest.toPrecision(2));
  byId("errors").textContent = largest === 0
    ? "Coordinates here are exactly those of the files."
    : `Coordinates here are within ${withUnit(String(size), scene.unit)} of the files'.`;
}

/** The middle of a range, rounded to a thousandth of the range or less. */
function middleOf(low, high) {
  const middle = (low + high) / 2;
  const digits = 3 - Math.floor(Math.log10(Math.abs(high - low)));
  return high !== low && digits >= 0 && digits <= 100 ? Number(middle.toFixed(digits)) : middle;
}

function scaleLegend(choice, colors, onRange) {
  const scale = element("div", { className: "scale" });
  scale.style.background = cssScale(colors);
  const middle = element("span", {});
  const showMiddle = () => { middle.textContent = numberText(middleOf(choice.low, choice.high)); };
  showMiddle();
  const end = (key, label) => {
    const input = element("input", { type: "number", step: "any", value: String(Number(choice[key].toPrecision(6))), ariaLabel: label });
    input.addEventListener("change", () => {
      const value = input.valueAsNumber;
      if (Number.isNaN(value)) return;
      choice[key] = value;
      showMiddle();
      onRange();
    });
    return input;
  };
  const range = `${numberText(choice.lowest)} to ${withUnit(numberText(choice.highest), choice.unit)}`;
  return [
    element("p", { className: "note", textContent: choice.unit ? `${choice.name} (${choice.unit})` : choice.name }),
    scale,
    element("div", { className: "ends" }, end("low", "Low end of the scale"), middle,
      end("high", "High end of the scale")),
    element("p", { className: "note", textContent: `Values: ${range}` }),
  ];
}

function listLegend(entries) {
  return [element("ul", {}, ...entries.map(([rgb, text]) =>
    element("li", { className: "key" }, swatch(rgb), element("span", { textContent: text }))))];
}

/** @param onRange  called after the user has changed an end of the scale */
function showLegend(choice, scene, scale, onRange) {
  const gray = choice.which && (choice.which.includes(-1) || choice.kind !== "color")
    ? [element("p", { className: "note", textContent: "Gray: none." })]
    : [];
  const parts = {
    height: () => scaleLegend(choice, scale, onRange),
    number: () => [...scaleLegend(choice, scale, onRange), ...gray],
    cloud: () => listLegend(scene.clouds.filter(({ moment }) => moment === 0)
      .map(({ series, name }) => [CLOUD_COLORS[series], name])),
    label: () => [
      ...listLegend([0, 1, 2].map((i) => Math.max(choice.lowest, 0) + i).filter((label) => label <= choice.highest)
        .map((label) => [labelColor(label), String(label)])),
      element("p", {
        className: "note",
        textContent: `A color for each number up to ${choice.highest}; some look alike. Gray: negative, or none.`,
      }),
    ],
    direction: () => [...listLegend([
      [[255, 128, 128], "towards +x"], [[128, 255, 128], "towards +y"], [[128, 128, 255], "towards +z"],
      [[0, 128, 128], "towards -x"], [[128, 0, 128], "towards -y"], [[128, 128, 0], "towards -z"],
    ]), ...gray],
    color: () => gray,
  };
  byId("legend").replaceChildren(...parts[choice.kind]());
}

function coordinatesOf(block, i, scene) {
  return [0, 1, 2].map((axis) => scene.origin[axis] + scene.scale * block.positions[3 * i + axis]);
}

/** Cloud, index, coordinates and attributes of a point, as rows of a table. */
function describePoint({ block, i }, scene, error) {
  const cloud = scene.clouds[block.cloud];
  const coordinates = coordinatesOf(block, i, scene);
  return [
    ["Cloud", cloud.name],
    ["Index", countText(indexInCloud(block, i))],
    ...["x", "y", "z"].map((name, axis) => [name, withUnit(coordinateText(coordinates[axis], error), scene.unit)]),
    ...cloud.attributes.map((attribute, which) => [
      attribute.name, valueText(attribute, attributeValue(attribute, block.codes[which], i)),
    ]),
  ];
}

function showPoint(point, scene, error) {
  if (!point) {
    byId("picked").replaceChildren(element("p", { textContent: "Click a point in the picture." }));
    return;
  }
  const table = element("table", {}, element("tbody", {}));
  fillTable(table, describePoint(point, scene, error));
  byId("picked").replaceChildren(table);
}

/** Shows name and size of each pane's clouds, in its upper left corner. */
function showNames(panes, scene, choice) {
  byId("names").replaceChildren(...panes.map((pane) => {
    const made = element("div", {}, ...pane.clouds.flatMap((i, place) => [
      ...(place > 0 ? [element("br", {})] : []),
      ...(choice.kind === "cloud" ? [swatch(CLOUD_COLORS[scene.clouds[i].series])] : []),
      element("b", { textContent: scene.clouds[i].name }),
      element("span", { textContent: rowsText(scene.clouds[i], scene.clouds[i].drawn) }),
    ]));
    [made.style.left, made.style.top, made.style.width, made.style.height] = pane.box;
    return made;
  }));
}
