// The picture as a file: points, overlay, title, names of the clouds, and the scale of colors.

const PICTURE_MARGIN = 12; // pixels of the page
const PICTURE_HEAD = 34;
const PICTURE_FOOT = 40;

/** A PNG of the picture, as a promise of a Blob. */
function pictureOf(viewer) {
  viewer.drawNow();
  const { density, canvas, overlay, scene, choice } = viewer;
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const hasScale = choice.low !== undefined;
  const made = document.createElement("canvas");
  made.width = canvas.width;
  made.height = canvas.height + Math.round((PICTURE_HEAD + (hasScale ? PICTURE_FOOT : 0)) * density);
  const context = made.getContext("2d");
  context.scale(density, density);
  const [width, height] = [made.width / density, made.height / density];
  context.fillStyle = color("--canvas");
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  const write = (text, x, y, align, ink, font) => {
    Object.assign(context, { textAlign: align, fillStyle: ink, font: `${font} system-ui, sans-serif` });
    context.fillText(text, x, y, width - 2 * PICTURE_MARGIN);
  };
  write(document.title, PICTURE_MARGIN, PICTURE_HEAD / 2, "left", color("--text"), "600 15px");
  context.drawImage(canvas, 0, PICTURE_HEAD, canvas.width / density, canvas.height / density);
  context.drawImage(overlay.canvas, 0, PICTURE_HEAD, canvas.width / density, canvas.height / density);
  for (const pane of viewer.panes) {
    const [left, top] = viewer.boxOfPane(pane);
    const nameOf = (cloud) => `${cloud.name}, ${rowsText(cloud, cloud.drawn)}`;
    const names = pane.clouds.map((i) => nameOf(scene.clouds[i])).join("; ");
    write(names, left + PICTURE_MARGIN, top + PICTURE_HEAD + 16, "left", color("--text"), "13px");
  }
  if (hasScale) {
    const [left, top, length] = [PICTURE_MARGIN, height - PICTURE_FOOT + 4, Math.min(320, width - 2 * PICTURE_MARGIN)];
    const scale = viewer.scale();
    for (let x = 0; x < length; ++x) {
      context.fillStyle = cssColor(scale[Math.round((255 * x) / (length - 1))]);
      context.fillRect(left + x, top, 1.5, 10);
    }
    const below = top + 22;
    write(numberText(choice.low), left, below, "left", color("--text"), "12px");
    write(withUnit(numberText(choice.high), choice.unit), left + length, below, "right", color("--text"), "12px");
    write(choice.name, left + length / 2, below, "center", color("--text"), "12px");
  }
  return new Promise((resolve) => made.toBlob(resolve, "image/png"));
}

async function savePicture(viewer) {
  const address = URL.createObjectURL(await pictureOf(viewer));
  const name = document.title.replace(/[^\p{L}\p{N}.-]+/gu, "_").slice(0, 80) || "picture";
  element("a", { href: address, download: `${name}.png` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
