// Input of the user: controls, keys, pointers.

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
  for (const id of ["shape", "size", "by-distance", "splat-size", "shading", "axes"]) onChange(id, () => viewer.draw());
  onChange("map", () => viewer.choose(viewer.choice));
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
  for (const part of [viewer.player, viewer.ruler, viewer.clipper]) part.listen();
  listenToLinks(viewer);
  byId("picture").addEventListener("click", () => savePicture(viewer));

  canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
  canvas.addEventListener("webglcontextrestored", () => {
    const { blocks } = viewer.renderer;
    viewer.renderer = new Renderer(canvas, viewer.scene);
    for (const { block } of blocks) viewer.renderer.add(block, paintBlock(block, viewer.choice, viewer.scale(), viewer.scene));
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
    m: () => viewer.ruler.toggle(),
    " ": () => viewer.player.toggle(),
    ",": () => viewer.player.step(-1),
    ".": () => viewer.player.step(1),
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
  const pointers = new Map(); // positions of the pointers that are down, by id
  let traveled = 0;
  const placeOf = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const halfHeight = () => canvas.clientHeight / 2;
  /** Converts (x, y) to half heights from the center of the pane under it. */
  const fromCenter = ([x, y]) => {
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
    if (pointers.size === 0) traveled = 0;
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
      camera.zoom(from.spread / spread(), ...fromCenter(to));
    } else if (event.shiftKey || event.buttons & 6) {
      camera.move(-x / halfHeight(), y / halfHeight());
    } else {
      camera.turn(-x * 0.006, y * 0.006);
    }
    pointers.set(event.pointerId, now);
    traveled += Math.hypot(x, y);
    viewer.drawMoving();
  });
  const release = (event) => {
    const wasDown = pointers.delete(event.pointerId);
    if (pointers.size > 0) return;
    canvas.classList.remove("moving");
    if (event.type === "pointerup" && wasDown && traveled < 4 && event.button === 0) viewer.pick(...placeOf(event));
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", (event) => {
    if (!viewer.pick(...placeOf(event), false)) return;
    camera.target = [...viewer.positionOf(viewer.picked)];
    viewer.draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    // Converts lines and pages to pixels. A pinch on a touchpad arrives as small steps with Ctrl.
    const pixels = event.deltaY * [1, 30, 300][event.deltaMode] * (event.ctrlKey ? 5 : 1);
    camera.zoom(Math.exp(Math.min(Math.max(pixels, -300), 300) * 0.0015), ...fromCenter(placeOf(event)));
    viewer.drawMoving();
  }, { passive: false });
}

