// State of the page: clouds, camera and controls. Draws after a change.

const SHAPE_NAMES = { dots: "Points", cubes: "Cubes", splats: "Splats" };
const SLOW_FRAME = 45; // ms between frames while moving; slower ones draw fewer points

class Viewer {
  constructor(scene) {
    this.scene = scene;
    this.canvas = byId("canvas");
    this.total = scene.clouds.reduce((sum, cloud) => sum + cloud.drawn, 0);
    this.errors = null; // largest error of each cloud; null until all points have arrived
    this.picked = null;
    this.skip = 1; // every skip-th point is drawn
    this.scheduled = false;
    this.moment = 0; // index of the moment that is shown
    this.player = new Player(this);
    this.loader = new Loader(this);
    this.ruler = new Ruler(this);
    this.camera = new OrbitCamera(scene.up, this.surroundings());
    this.clipper = new Clipper(this);
    this.choices = colorChoices(scene);
    this.choice = this.choices.find(({ name }) => name === scene.colorBy) || this.choices[0];
    this.layout = scene.overlaid && this.seriesNames().length > 1 ? "overlaid" : "side";
    this.ready = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }));
  }

  /** A box around most points of all clouds, in the scene's frame. */
  surroundings() {
    const box = { low: [Infinity, Infinity, Infinity], high: [-Infinity, -Infinity, -Infinity] };
    for (const cloud of this.scene.clouds.filter(({ drawn }) => drawn > 0)) {
      for (let axis = 0; axis < 3; ++axis) {
        const place = (value) => (value - this.scene.origin[axis]) / this.scene.scale;
        box.low[axis] = Math.min(box.low[axis], place(cloud.low[axis]));
        box.high[axis] = Math.max(box.high[axis], place(cloud.high[axis]));
      }
    }
    return this.total > 0 ? box : { low: [-1, -1, -1], high: [1, 1, 1] };
  }

  /** Name of the first cloud of each series; clouds of a series share a picture. */
  seriesNames() {
    const names = [];
    for (const { series, name } of this.scene.clouds) names[series] = names[series] || name;
    return names;
  }

  /** Index of the cloud of a series at this moment; -1 if the moment has no such cloud. */
  cloudOf(series) {
    return this.scene.clouds.findIndex((cloud) => cloud.series === series && cloud.moment === this.moment);
  }

  start() {
    showFigures(this.scene.figures);
    this.showMoment(0);
    showPoint(null);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    if (this.total === 0) {
      byId("controls").hidden = true;
      this.stop("There are no points to draw.");
      return;
    }
    try {
      this.renderer = new Renderer(this.canvas, this.scene);
    } catch (error) {
      this.stop(error.message);
      return;
    }
    this.overlay = new Overlay(this);
    this.fillControls();
    listenTo(this);
    this.fitted = false; // the camera is fitted when the canvas gets its first size
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    this.resize();
    this.loader.work();
  }

  /** Stops drawing, and shows the reason. */
  stop(message) {
    byId("message").textContent = message;
    byId("message").hidden = false;
    byId("progress").textContent = "";
    if (this.total === 0) this.resolve();
    else this.reject(new Error(message));
  }

  /** @param errors  largest error of each cloud; null: points are missing */
  finish(errors) {
    this.errors = errors || [];
    if (!errors) {
      this.stop("This file is incomplete: some of its points are missing.");
      return;
    }
    showErrors(this.scene, errors);
    byId("progress").textContent = "";
    this.draw();
    requestAnimationFrame(() => this.resolve());
  }

  // Moments

  /** Shows a moment of a sequence, or all clouds of another scene. */
  showMoment(moment) {
    this.moment = moment;
    const { clouds, moments } = this.scene;
    showClouds(clouds.filter((cloud) => cloud.moment === moment));
    if (moments.length > 0) showMomentFigures(moments[moment]);
    if (!this.renderer) return;
    if (this.picked && clouds[this.picked.block.cloud].moment !== moment) this.show(null);
    if (this.ruler.points.some(({ block }) => clouds[block.cloud].moment !== moment)) this.ruler.clear();
    this.arrange();
    this.draw();
  }

  // Colors

  /** The 256 colors of the selected scale. */
  scale() { return SCALES[byId("map").value]; }

  choose(choice) {
    this.choice = choice;
    byId("map").parentElement.hidden = choice.low === undefined;
    showLegend(choice, this.scene, this.scale(), () => this.loader.repaint());
    this.showNames();
    this.loader.repaint();
  }

  setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    byId("theme").textContent = theme === "dark" ? "Light" : "Dark";
    const ground = getComputedStyle(document.documentElement).getPropertyValue("--canvas");
    this.ground = [1, 3, 5].map((i) => parseInt(ground.trim().slice(i, i + 2), 16));
    this.draw();
  }

  // The picture

  fillControls() {
    const { scene } = this;
    const names = this.seriesNames();
    const layouts = [option("side", "Side by side"), option("overlaid", "Overlaid"),
      ...names.map((name, i) => option(String(i), name))];
    byId("layout").replaceChildren(...layouts);
    byId("layout").value = this.layout;
    byId("layout").parentElement.hidden = names.length === 1;
    const shapes = this.renderer.shapes();
    byId("shape").replaceChildren(...shapes.map((name) => option(name, SHAPE_NAMES[name])));
    byId("shape").value = shapes[shapes.length - 1];
    byId("shape").parentElement.hidden = shapes.length === 1;
    byId("splat-size").parentElement.hidden = !shapes.includes("splats");
    byId("map").replaceChildren(...Object.keys(SCALES).map((name) => option(name, name)));
    byId("choice").replaceChildren(...this.choices.map(({ name }, i) => option(String(i), name)));
    byId("choice").value = String(this.choices.indexOf(this.choice));
    const shown = this.total / Math.max(scene.moments.length, 1);
    byId("size").value = shown > 300000 ? "1.5" : shown > 50000 ? "2" : "3";
  }

  /** Panes in pixels of the canvas, from its lower left corner; in a row or a column, whichever shows the clouds larger. */
  arrange() {
    const all = this.seriesNames().map((_, i) => i);
    const series = { side: all.map((i) => [i]), overlaid: [all] }[this.layout] || [[Number(this.layout)]];
    const shown = series.map((list) => list.map((i) => this.cloudOf(i)).filter((cloud) => cloud >= 0));
    const width = Math.max(this.canvas.width, 1);
    const height = Math.max(this.canvas.height, 1);
    const parts = shown.length;
    const beside = this.camera.sizeWhenFitted(width / parts, height) >= this.camera.sizeWhenFitted(width, height / parts);
    this.panes = shown.map((clouds, i) => {
      const [from, to] = [i, i + 1].map((end) => Math.round(((beside ? width : height) * end) / parts));
      return beside ? { clouds, x: from, y: 0, width: to - from, height }
        : { clouds, x: 0, y: height - to, width, height: to - from };
    });
    this.showNames();
  }

  /** Left, top, width and height of a pane, in pixels of the page. */
  boxOfPane({ x, y, width, height }) {
    return [x, this.canvas.height - y - height, width, height].map((length) => length / this.density);
  }

  showNames() {
    const boxes = this.panes.map((pane) => this.boxOfPane(pane).map((length) => `${length}px`));
    showNames(this.panes.map(({ clouds }, i) => ({ clouds, box: boxes[i] })), this.scene, this.choice);
  }

  get aspect() { return this.panes[0].width / this.panes[0].height; }

  resize() {
    const stage = byId("stage");
    this.density = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(stage.clientWidth * this.density);
    this.canvas.height = Math.round(stage.clientHeight * this.density);
    this.arrange();
    if (!this.fitted) {
      this.fitted = true;
      this.camera.fit(this.aspect);
      this.choose(this.choice);
      viewFromLink(this, window.location.hash.slice(1));
    }
    this.drawNow(); // in this frame: the canvas was cleared
  }

  look() {
    return {
      shape: byId("shape").value,
      size: byId("size").valueAsNumber,
      byDistance: byId("by-distance").checked,
      splatSize: byId("splat-size").valueAsNumber,
      density: this.density,
      shading: byId("shading").valueAsNumber,
      clip: this.clipper.limits(),
      ground: this.ground,
    };
  }

  draw() {
    if (this.scheduled || !this.renderer) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.drawNow();
    });
  }

  drawNow() {
    this.renderer.draw(this.panes, this.camera, this.look(), this.skip);
    this.placeMarker();
    this.overlay.draw();
  }

  /** Draws during a movement, with fewer points if the machine is too slow for all. */
  drawMoving() {
    const now = performance.now();
    const frame = now - (this.movedAt || 0);
    if (frame < 500 && frame > SLOW_FRAME) this.skip = Math.min(this.skip * 2, 16);
    this.movedAt = now;
    this.draw();
    clearTimeout(this.settle);
    this.settle = setTimeout(() => {
      this.skip = 1;
      this.draw();
    }, 200);
  }

  // Points

  /** Pane at (x, y), pixels of the page from the canvas's upper left corner, and the position in it in canvas pixels. */
  paneAt(x, y) {
    const place = { x: x * this.density, y: this.canvas.height - y * this.density };
    const holds = (one) => place.x >= one.x && place.x < one.x + one.width && place.y > one.y;
    const pane = this.panes.find(holds) || this.panes[this.panes.length - 1];
    return { pane, x: place.x - pane.x, y: place.y - pane.y };
  }

  /** @param measures  true if the point becomes an end of the ruler */
  pick(x, y, measures = this.ruler.on) {
    const { pane, ...place } = this.paneAt(x, y);
    this.show(this.renderer.pick(pane, place.x, place.y, this.camera, this.look()));
    if (measures && this.picked) this.ruler.add(this.picked);
    return this.picked && { cloud: this.picked.block.cloud, index: indexInCloud(this.picked.block, this.picked.i) };
  }

  /** A PNG of the picture, as a promise of a Blob. */
  picture() { return pictureOf(this); }

  show(point) {
    this.picked = point;
    const error = point && this.errors ? this.errors[point.block.cloud] : 0;
    showPoint(point, this.scene, error);
    this.draw();
  }

  positionOf({ block, i }) {
    return block.positions.subarray(3 * i, 3 * i + 3);
  }

  /** Position of a point of a cloud, in pixels of the page from the canvas's upper left corner; null if it is not drawn. */
  placeOf(cloud, index) {
    for (const { block } of this.renderer.blocks) {
      const i = block.cloud === cloud ? placeInBlock(block, index) : -1;
      if (i >= 0) return this.placeOfPoint({ block, i });
    }
    return null;
  }

  placeOfPoint(point) {
    const pane = this.panes.find(({ clouds }) => clouds.includes(point.block.cloud));
    const place = pane && this.placeInPane(pane, this.positionOf(point));
    if (!place) return null;
    const [left, top, width, height] = this.boxOfPane(pane);
    const [x, y] = [place[0] - left, place[1] - top];
    return x < 0 || y < 0 || x > width || y > height ? null : place;
  }

  /** Position in the page of a point of the scene, in a pane or beyond its edges; null behind the camera. */
  placeInPane(pane, position) {
    const place = this.camera.project(position, pane.width / pane.height);
    if (!place) return null;
    const [left, top, width, height] = this.boxOfPane(pane);
    return [left + ((place[0] + 1) / 2) * width, top + ((1 - place[1]) / 2) * height];
  }

  placeMarker() {
    const place = this.picked && this.placeOfPoint(this.picked);
    byId("marker").hidden = !place;
    if (place) byId("marker").style.transform = `translate(${place[0]}px, ${place[1]}px)`;
  }
}
