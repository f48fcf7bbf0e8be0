// Links to a view: the fragment of the page's address has the camera, the colors and the controls.

const LINKED_CONTROLS = ["layout", "shape", "size", "by-distance", "splat-size", "shading", "axes", "map"];

function viewToLink(viewer) {
  const { camera, choice, moment, clipper } = viewer;
  const digits = (value) => String(Number(value.toPrecision(9)));
  const place = [camera.yaw, camera.pitch, camera.distance, ...camera.target].map(digits).join(",");
  const link = new URLSearchParams({ camera: place, color: `${choice.name}:${choice.kind}` });
  if (choice.low !== undefined) link.set("range", [choice.low, choice.high].map(digits).join(","));
  for (const control of LINKED_CONTROLS.map(byId)) {
    link.set(control.id, control.type === "checkbox" ? String(control.checked) : control.value);
  }
  if (moment > 0) link.set("moment", String(moment));
  if (clipper.on) link.set("clip", [...clipper.shares.low, ...clipper.shares.high].map(digits).join(","));
  return link.toString();
}

/** Numbers of a list with commas; null if their count differs from the expected one, or one is not a number. */
function numbersOf(text, count) {
  const numbers = (text || "").split(",").map(Number);
  return numbers.length === count && numbers.every(Number.isFinite) ? numbers : null;
}

/** Applies the entries of a link that are valid for this page; ignores others. */
function viewFromLink(viewer, text) {
  const link = new URLSearchParams(text);
  if (!link.has("camera")) return;
  for (const id of LINKED_CONTROLS) setControl(byId(id), link.get(id));
  viewer.layout = byId("layout").value;
  const choice = viewer.choices.find(({ name, kind }) => `${name}:${kind}` === link.get("color"));
  if (choice) {
    const range = numbersOf(link.get("range"), 2);
    if (range && choice.low !== undefined) [choice.low, choice.high] = range;
    byId("choice").value = String(viewer.choices.indexOf(choice));
    viewer.choose(choice);
  }
  const moment = Number(link.get("moment"));
  if (viewer.player.count > 1 && Number.isInteger(moment) && moment >= 0 && moment < viewer.player.count) {
    viewer.player.show(moment);
  }
  const clip = numbersOf(link.get("clip"), 6);
  viewer.clipper.set(clip !== null, clip ? { low: clip.slice(0, 3), high: clip.slice(3) } : viewer.clipper.shares);
  const camera = numbersOf(link.get("camera"), 6);
  if (camera && camera[2] > 0) {
    viewer.camera.look(camera[0], camera[1]);
    viewer.camera.distance = camera[2];
    viewer.camera.target = camera.slice(3);
  }
  viewer.arrange();
  viewer.draw();
}

function setControl(control, value) {
  if (value === null) return;
  if (control.type === "checkbox") control.checked = value === "true";
  else if (control.tagName !== "SELECT" || [...control.options].some((one) => one.value === value)) control.value = value;
}

function listenToLinks(viewer) {
  byId("link").addEventListener("click", async () => {
    window.location.hash = viewToLink(viewer);
    try {
      await navigator.clipboard.writeText(window.location.href);
      tell("The link was copied.");
    } catch {
      tell("The link is in the address bar.");
    }
  });
  window.addEventListener("hashchange", () => viewFromLink(viewer, window.location.hash.slice(1)));
}
