// The page: reads the points while the browser still loads them, and draws when something has changed.

const MOST_WORK = 12; // ms of decoding and painting until the browser may do something else
const SLOW_FRAME = 45; // ms between frames while moving; slower ones draw fewer points

class Viewer {
  constructor(scene) {
    this.scene = scene;
    this.canvas = byId("canvas");
    this.total = scene.clouds.reduce((sum, cloud) => sum + cloud.drawn, 0);
    this.loaded = 0;
    this.loadedWhenDrawn = 0;
    this.errors = null; // the largest of each cloud, once all points are there
    this.toPaint = []; // numbers of blocks
    this.picked = null;
    this.skip = 1; // of so many points one is drawn
    this.scheduled = false;
    this.camera = new OrbitCamera(scene.up, this.surroundings());
    this.choices = colorChoices(scene);
    this.choice = this.choices.find(({ name }) => name === scene.colorBy) || this.choices[0];
    this.layout = scene.overlaid && scene.clouds.length > 1 ? "overlaid" : "side";
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

  start() {
    showFigures(this.scene.figures);
    showClouds(this.scene.clouds);
    showPoint(null);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    if (this.total === 0) {
      byId("controls").hidden = true;
      this.stop("There are no points to draw.");
      return;
    }
    try {
      this.renderer = new Renderer(this.canvas);
    } catch (error) {
      this.stop(error.message);
      return;
    }
    this.fillControls();
    listenTo(this);
    this.fitted = false; // the first size of the canvas decides
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    this.resize();
    this.work();
  }

  /** Says why nothing more will be drawn. */
  stop(message) {
    byId("message").textContent = message;
    byId("message").hidden = false;
    byId("progress").textContent = "";
    if (this.total === 0) this.resolve();
    else this.reject(new Error(message));
  }

  // Loading

  /** Decodes and paints for a while, again and again, as long as there is something to do. */
  work() {
    const end = performance.now() + MOST_WORK;
    let busy = true;
    while (busy && performance.now() < end) busy = this.paintNext() || this.decodeNext();
    if (!this.errors) this.showProgress();
    if (!this.errors || this.toPaint.length > 0) setTimeout(() => this.work(), busy ? 0 : 20);
  }

  decodeNext() {
    const source = document.querySelector("script.block");
    // The last one may not have arrived as a whole.
    const complete = source && (source.nextElementSibling || document.readyState !== "loading");
    if (!complete) {
      if (!source && !this.errors && document.readyState !== "loading") this.finish();
      return false;
    }
    const block = decodeBlock(source.textContent, this.scene);
    source.remove();
    this.renderer.add(block, paintBlock(block, this.choice, this.scene));
    this.loaded += block.count;
    // Not after each block: where drawing is slow, that would take most of the time.
    if (this.loaded > 1.5 * this.loadedWhenDrawn) {
      this.loadedWhenDrawn = this.loaded;
      this.draw();
    }
    return true;
  }

  finish() {
    const end = byId("end");
    if (!end || this.loaded !== this.total) {
      this.errors = [];
      this.stop("This file is incomplete: some of its points are missing.");
      return;
    }
    this.errors = JSON.parse(end.textContent);
    showErrors(this.scene, this.errors);
    byId("progress").textContent = "";
    this.draw();
    requestAnimationFrame(() => this.resolve());
  }

  showProgress() {
    const share = Math.floor((100 * this.loaded) / this.total);
    const text = share < 100 ? `Reading points: ${share} %` : "";
    if (byId("progress").textContent !== text) byId("progress").textContent = text;
  }

  // Colours

  paintNext() {
    if (this.toPaint.length === 0) return false;
    const place = this.toPaint.shift();
    this.renderer.paint(place, paintBlock(this.renderer.blocks[place].block, this.choice, this.scene));
    if (this.toPaint.length === 0) this.draw();
    return true;
  }

  repaint() {
    const idle = this.toPaint.length === 0;
    this.toPaint = this.renderer.blocks.map((_, place) => place);
    if (idle && this.errors) this.work();
  }

  choose(choice) {
    this.choice = choice;
    showLegend(choice, this.scene, () => this.repaint());
    this.showNames();
    this.repaint();
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
    const layouts = [option("side", "Side by side"), option("overlaid", "Overlaid"),
      ...scene.clouds.map((cloud, i) => option(String(i), cloud.name))];
    byId("layout").replaceChildren(...layouts);
    byId("layout").value = this.layout;
    byId("layout").parentElement.hidden = scene.clouds.length === 1;
    byId("choice").replaceChildren(...this.choices.map(({ name }, i) => option(String(i), name)));
    byId("choice").value = String(this.choices.indexOf(this.choice));
    byId("size").value = this.total > 300000 ? "1.5" : this.total > 50000 ? "2" : "3";
  }

  /** Panes in pixels of the canvas, from its lower left corner; beside or above each other, whatever shows more. */
  arrange() {
    const all = this.scene.clouds.map((_, i) => i);
    const shown = { side: all.map((i) => [i]), overlaid: [all] }[this.layout] || [[Number(this.layout)]];
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

  showNames() {
    const toPage = ({ clouds, x, y, width, height }) => ({
      clouds,
      box: [x, this.canvas.height - y - height, width, height].map((length) => `${length / this.density}px`),
    });
    showNames(this.panes.map(toPage), this.scene, this.choice);
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
    }
    this.drawNow(); // in this frame: the canvas was cleared
  }

  look() {
    return {
      size: byId("size").valueAsNumber,
      density: this.density,
      shading: byId("shading").checked,
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
  }

  /** Draws while something moves: fewer points where the machine is too slow for all. */
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

  /** Pane at (x, y), pixels of the page from the canvas's upper left corner, and the place there in canvas pixels. */
  paneAt(x, y) {
    const place = { x: x * this.density, y: this.canvas.height - y * this.density };
    const holds = (one) => place.x >= one.x && place.x < one.x + one.width && place.y > one.y;
    const pane = this.panes.find(holds) || this.panes[this.panes.length - 1];
    return { pane, x: place.x - pane.x, y: place.y - pane.y };
  }

  pick(x, y) {
    const { pane, ...place } = this.paneAt(x, y);
    this.show(this.renderer.pick(pane, place.x, place.y, this.camera, this.look()));
    return this.picked && { cloud: this.picked.block.cloud, index: indexInCloud(this.picked.block, this.picked.i) };
  }

  show(point) {
    this.picked = point;
    const error = point && this.errors ? this.errors[point.block.cloud] : 0;
    showPoint(point, this.scene, error);
    this.draw();
  }

  positionOf({ block, i }) {
    return block.positions.subarray(3 * i, 3 * i + 3);
  }

  /** Where a point of a cloud is, in pixels of the page from the canvas's upper left corner; null if it is not there. */
  placeOf(cloud, index) {
    for (const { block } of this.renderer.blocks) {
      const i = block.cloud === cloud ? placeInBlock(block, index) : -1;
      if (i >= 0) return this.placeOfPoint({ block, i });
    }
    return null;
  }

  placeOfPoint(point) {
    const pane = this.panes.find(({ clouds }) => clouds.includes(point.block.cloud));
    const place = pane && this.camera.project(this.positionOf(point), pane.width / pane.height);
    if (!place || Math.abs(place[0]) > 1 || Math.abs(place[1]) > 1) return null;
    const x = pane.x + ((place[0] + 1) / 2) * pane.width;
    const y = this.canvas.height - pane.y - ((place[1] + 1) / 2) * pane.height;
    return [x / this.density, y / this.density];
  }

  placeMarker() {
    const place = this.picked && this.placeOfPoint(this.picked);
    byId("marker").hidden = !place;
    if (place) byId("marker").style.transform = `translate(${place[0]}px, ${place[1]}px)`;
  }
}

// What the user does

const VIEWS = {
  top: [-Math.PI / 2, Math.PI / 2],
  front: [-Math.PI / 2, 0],
  side: [0, 0],
  fit: [-Math.PI / 3, Math.PI / 6],
};

function listenTo(viewer) {
  const { camera, canvas } = viewer;
  const onChange = (id, react) => byId(id).addEventListener("input", (event) => react(event.target));
  onChange("layout", ({ value }) => {
    viewer.layout = value;
    viewer.arrange();
    viewer.draw();
  });
  onChange("choice", ({ value }) => viewer.choose(viewer.choices[Number(value)]));
  onChange("size", () => viewer.draw());
  onChange("shading", () => viewer.draw());
  byId("theme").addEventListener("click", () => {
    viewer.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  });
  const setView = (name) => {
    camera.look(...VIEWS[name]);
    camera.fit(viewer.aspect);
    viewer.draw();
  };
  for (const button of document.querySelectorAll("[data-view]")) {
    button.addEventListener("click", () => setView(button.dataset.view));
  }
  listenToPointers(viewer);
  listenToKeys(viewer, setView);

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    const { blocks } = viewer.renderer;
    viewer.renderer = new Renderer(canvas);
    for (const { block } of blocks) viewer.renderer.add(block, paintBlock(block, viewer.choice, viewer.scene));
    viewer.draw();
  });
}

function listenToKeys(viewer, setView) {
  const { camera, canvas } = viewer;
  const turn = Math.PI / 36;
  const actions = {
    ArrowLeft: (moves) => (moves ? camera.move(-0.1, 0) : camera.turn(-turn, 0)),
    ArrowRight: (moves) => (moves ? camera.move(0.1, 0) : camera.turn(turn, 0)),
    ArrowUp: (moves) => (moves ? camera.move(0, 0.1) : camera.turn(0, turn)),
    ArrowDown: (moves) => (moves ? camera.move(0, -0.1) : camera.turn(0, -turn)),
    "+": () => camera.zoom(0.85),
    "=": () => camera.zoom(0.85),
    "-": () => camera.zoom(1 / 0.85),
    0: () => setView("fit"),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = actions[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event.shiftKey);
    viewer.drawMoving();
  });
}

function listenToPointers(viewer) {
  const { camera, canvas } = viewer;
  const pointers = new Map(); // those that are down, and where
  let travelled = 0;
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const halfHeight = () => canvas.clientHeight / 2;
  /** (x, y) in half heights from the centre of its pane. */
  const fromCentre = ([x, y]) => {
    const { pane, ...place } = viewer.paneAt(x, y);
    return [(2 * place.x - pane.width) / pane.height, (2 * place.y - pane.height) / pane.height];
  };
  const middle = () => {
    const places = [...pointers.values()];
    return [0, 1].map((axis) => places.reduce((sum, place) => sum + place[axis], 0) / places.length);
  };
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
  };

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, placeOf(event));
    canvas.classList.add("moving");
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = placeOf(event);
    const [x, y] = [now[0] - before[0], now[1] - before[1]];
    if (pointers.size === 2) {
      const from = { middle: middle(), spread: spread() };
      pointers.set(event.pointerId, now);
      const to = middle();
      camera.move((from.middle[0] - to[0]) / halfHeight(), (to[1] - from.middle[1]) / halfHeight());
      camera.zoom(from.spread / spread(), ...fromCentre(to));
    } else if (event.shiftKey || event.buttons & 6) {
      camera.move(-x / halfHeight(), y / halfHeight());
    } else {
      camera.turn(-x * 0.006, y * 0.006);
    }
    pointers.set(event.pointerId, now);
    travelled += Math.hypot(x, y);
    viewer.drawMoving();
  });
  const release = (event) => {
    const wasDown = pointers.delete(event.pointerId);
    if (pointers.size > 0) return;
    canvas.classList.remove("moving");
    if (event.type === "pointerup" && wasDown && travelled < 4 && event.button === 0) viewer.pick(...placeOf(event));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", (event) => {
    if (!viewer.pick(...placeOf(event))) return;
    camera.target = [...viewer.positionOf(viewer.picked)];
    viewer.draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    // Lines and pages to pixels; a pinch on a touchpad comes as small steps with Ctrl.
    const pixels = event.deltaY * [1, 30, 300][event.deltaMode] * (event.ctrlKey ? 5 : 1);
    camera.zoom(Math.exp(Math.min(Math.max(pixels, -300), 300) * 0.0015), ...fromCentre(placeOf(event)));
    viewer.drawMoving();
  }, { passive: false });
}

// For scripts and tests: window.farpoint.ready, .pick(x, y), .placeOf(cloud, index), ...
window.farpoint = new Viewer(JSON.parse(byId("scene").textContent));
window.farpoint.ready.catch(() => {}); // the page has said it
window.farpoint.start();
