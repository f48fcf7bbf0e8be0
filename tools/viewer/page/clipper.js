// Clipping box: points outside are neither drawn nor picked. Its sides are fractions of the clouds' ranges.

class Clipper {
  constructor(viewer) {
    this.viewer = viewer;
    this.on = false;
    this.shares = { low: [0, 0, 0], high: [1, 1, 1] };
    const { low, high } = viewer.camera;
    this.low = low;
    this.high = high;
  }

  listen() {
    const rows = ["x", "y", "z"].flatMap((name, axis) => ["low", "high"].map((end) => this.row(name, axis, end)));
    byId("clip-sides").replaceChildren(...rows);
    byId("clip").addEventListener("input", ({ target }) => this.set(target.checked, this.shares));
    this.set(this.on, this.shares);
  }

  row(name, axis, end) {
    const text = { low: "from", high: "to" }[end];
    const slider = element("input", { type: "range", min: "0", max: "1", step: "0.005", id: `clip-${end}-${name}` });
    slider.addEventListener("input", () => {
      this.shares[end][axis] = slider.valueAsNumber;
      this.set(this.on, this.shares);
    });
    return element("label", { className: "row" }, `${name} ${text}`, slider, element("output", {}));
  }

  set(on, shares) {
    this.on = on;
    this.shares = shares;
    const { scene } = this.viewer;
    byId("clip").checked = on;
    byId("clip-sides").hidden = !on;
    ["x", "y", "z"].forEach((name, axis) => {
      for (const end of ["low", "high"]) {
        const slider = byId(`clip-${end}-${name}`);
        const value = scene.origin[axis] + scene.scale * this.side(end, axis);
        slider.value = String(shares[end][axis]);
        slider.nextElementSibling.textContent = numberText(Number(value.toPrecision(4)));
      }
    });
    this.viewer.draw();
  }

  side(end, axis) {
    return this.low[axis] + this.shares[end][axis] * (this.high[axis] - this.low[axis]);
  }

  /** Corners of the box whose edges are drawn. */
  box() {
    return ["low", "high"].map((end) => [0, 1, 2].map((axis) => this.side(end, axis)));
  }

  /** Corners of the visible part. A slider at its end does not clip: outliers lie beyond the box around most points. */
  limits() {
    const limit = (end, all, beyond) => [0, 1, 2].map((axis) =>
      !this.on || this.shares[end][axis] === all ? beyond : this.side(end, axis));
    return { low: limit("low", 0, -3e38), high: limit("high", 1, 3e38) };
  }
}
