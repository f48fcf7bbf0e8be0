// Measures the distance of two points: two clicks set its ends, a third click starts again.

class Ruler {
  constructor(viewer) {
    this.viewer = viewer;
    this.on = false;
    this.points = [];
  }

  listen() {
    byId("measure").addEventListener("click", () => this.toggle());
  }

  toggle() {
    this.on = !this.on;
    byId("measure").setAttribute("aria-pressed", String(this.on));
    this.clear();
  }

  clear() {
    this.points = [];
    this.show();
  }

  add(point) {
    if (this.points.length === 2) this.points = [];
    this.points.push(point);
    this.show();
  }

  /** The difference of the ends, along the axes. */
  difference() {
    const { scene } = this.viewer;
    const [from, to] = this.points.map(({ block, i }) => coordinatesOf(block, i, scene));
    return add(to, from, -1);
  }

  distanceText() {
    return withUnit(numberText(Math.hypot(...this.difference())), this.viewer.scene.unit);
  }

  show() {
    const { scene } = this.viewer;
    byId("measured").hidden = !this.on;
    const hint = ["Click the first point.", "Click the second point."][this.points.length];
    byId("measured-hint").textContent = hint || "";
    const rows = this.points.length < 2 ? [] : this.describe();
    const texts = rows.map(([name, value]) => [name, withUnit(numberText(value), scene.unit)]);
    fillTable(document.querySelector("#measured table"), texts);
    this.viewer.draw();
  }

  describe() {
    const difference = this.difference();
    const height = dot(difference, this.viewer.scene.up);
    const level = Math.sqrt(Math.max(0, dot(difference, difference) - height * height));
    return [
      ["Distance", Math.hypot(...difference)], ["Horizontal", level], ["Vertical", height],
      ...["x", "y", "z"].map((name, axis) => [`Along ${name}`, difference[axis]]),
    ];
  }
}
