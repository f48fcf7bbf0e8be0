// Overlay of the picture, with lines and texts: axes, a scale bar, a distance, the edges of the clipping box. The overlay
// is a canvas of its own, so that a saved picture can include it.

const AXIS_LENGTH = 30; // pixels of the page
const AXES = [["X", [1, 0, 0], "#d43a3a"], ["Y", [0, 1, 0], "#2c9a4b"], ["Z", [0, 0, 1], "#3a6fd4"]];
const LONGEST_BAR = 120; // pixels of the page

/** 1, 2 or 5 times a power of ten, at most `length`. */
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return power * [5, 2, 1].find((digit) => digit * power <= length * (1 + 1e-9));
}

class Overlay {
  constructor(viewer) {
    this.viewer = viewer;
    this.canvas = byId("overlay");
    this.context = this.canvas.getContext("2d");
  }

  draw() {
    const { canvas, context, viewer } = this;
    if (canvas.width !== viewer.canvas.width || canvas.height !== viewer.canvas.height) {
      canvas.width = viewer.canvas.width;
      canvas.height = viewer.canvas.height;
    }
    const style = getComputedStyle(document.documentElement);
    this.text = style.getPropertyValue("--text").trim();
    this.halo = style.getPropertyValue("--canvas").trim();
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(viewer.density, 0, 0, viewer.density, 0, 0);
    context.font = "12px system-ui, sans-serif";
    context.lineCap = "round";
    const shown = byId("axes").checked;
    for (const pane of viewer.panes) {
      const box = viewer.boxOfPane(pane);
      context.save();
      context.beginPath();
      context.rect(...box);
      context.clip();
      if (viewer.clipper.on) this.drawBox(pane);
      this.drawRuler(pane);
      if (shown) this.drawAxes(box);
      if (shown) this.drawBar(box, this.barOf(box));
      context.restore();
    }
  }

  line(points, color, width) {
    const { context } = this;
    context.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? context.moveTo(x, y) : context.lineTo(x, y)));
    for (const [stroke, extra] of [[this.halo, 2.5], [color, 0]]) {
      context.strokeStyle = stroke;
      context.lineWidth = width + extra;
      context.stroke();
    }
  }

  write(text, x, y, align, color = this.text) {
    const { context } = this;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.strokeStyle = this.halo;
    context.lineWidth = 3;
    context.strokeText(text, x, y);
    context.fillStyle = color;
    context.fillText(text, x, y);
  }

  /** Draws the directions of the axes in the lower left corner. */
  drawAxes([left, top, , height]) {
    const { right, top: upward, back } = this.viewer.camera.axes();
    const origin = [left + 48, top + height - 48];
    const ends = AXES.map(([name, axis, color]) =>
      ({ name, color, x: dot(axis, right), y: dot(axis, upward), z: dot(axis, back) }));
    ends.sort((a, b) => a.z - b.z); // the axis that points to the eye is drawn last
    for (const { name, color, x, y } of ends) {
      const at = (length) => [origin[0] + length * x, origin[1] - length * y];
      this.line([origin, at(AXIS_LENGTH)], color, 2);
      if (Math.hypot(x, y) > 0.15) this.write(name, ...at(AXIS_LENGTH + 10), "center", color);
    }
  }

  /** A round length, and its pixels of the page in the middle of a pane. */
  barOf([, , width, height]) {
    const { camera, scene } = this.viewer;
    const perPixel = (2 * camera.reach * scene.scale) / height;
    const length = roundLength(perPixel * Math.min(LONGEST_BAR, width / 3));
    return { length, pixels: length / perPixel };
  }

  drawBar([left, top, width, height], { length, pixels }) {
    const [x, y] = [left + width - 20, top + height - 20];
    this.line([[x - pixels, y - 4], [x - pixels, y], [x, y], [x, y - 4]], this.text, 1.5);
    this.write(withUnit(numberText(length), this.viewer.scene.unit), x - pixels / 2, y - 12, "center");
  }

  drawRuler(pane) {
    const { ruler } = this.viewer;
    const places = ruler.points.map((point) => this.viewer.placeInPane(pane, this.viewer.positionOf(point)));
    if (places.includes(null)) return;
    if (places.length === 2) this.line(places, "#e8590c", 2);
    for (const [x, y] of places) {
      this.context.beginPath();
      this.context.arc(x, y, 4, 0, 2 * Math.PI);
      this.context.fillStyle = "#e8590c";
      this.context.fill();
    }
    if (places.length < 2) return;
    const [[a, b], [c, d]] = places;
    this.write(ruler.distanceText(), (a + c) / 2, (b + d) / 2 - 12, "center", "#e8590c");
  }

  /** Draws the twelve edges of the clipping box. */
  drawBox(pane) {
    const [low, high] = this.viewer.clipper.box();
    const corners = Array.from({ length: 8 }, (_, corner) =>
      this.viewer.placeInPane(pane, [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? high : low)[axis])));
    for (let corner = 0; corner < 8; ++corner) {
      for (let axis = 0; axis < 3; ++axis) {
        const other = corner | (1 << axis);
        const edge = [corners[corner], corners[other]];
        if (other !== corner && !edge.includes(null)) this.line(edge, "#8a929c", 1);
      }
    }
  }
}
