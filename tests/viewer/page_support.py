"""Helpers of the tests of pages: canvas contents, clicks, keys, controls."""
import json
import os

# Counts pixels of the canvas that differ from the background, in its left and right half, and hashes all pixels.
LOOK_AT_CANVAS = """(() => {
  const viewer = farpoint;
  viewer.skip = 1; // a slow machine draws fewer points while something moves
  viewer.drawNow();
  const gl = viewer.renderer.gl;
  const { width, height } = gl.canvas;
  const pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  const drawn = [0, 0], colors = new Set();
  let hash = 0;
  for (let i = 0; i < width * height; ++i) {
    const color = (pixels[4 * i] << 16) | (pixels[4 * i + 1] << 8) | pixels[4 * i + 2];
    hash = (Math.imul(hash, 31) + color) | 0;
    if (viewer.ground.every((value, c) => value === pixels[4 * i + c])) continue;
    ++drawn[i % width < width / 2 ? 0 : 1];
    colors.add(color);
  }
  return { drawn, colors: colors.size, hash, pixels: width * height, error: gl.getError() };
})()"""

failures: "list[str]" = []


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def canvas_place(browser, x, y):
    """Converts canvas coordinates to window coordinates (px)."""
    box = browser.evaluate("(({ left, top }) => [left, top])(farpoint.canvas.getBoundingClientRect())")
    return box[0] + x, box[1] + y


def picked_rows(browser):
    return dict(browser.evaluate(
        "[...document.querySelectorAll('#picked tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"))


def settle(browser):
    """Waits until pending changes are drawn."""
    browser.evaluate("new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 10))")


def open_page(browser, folder, name):
    browser.open(os.path.join(folder, name))
    browser.evaluate("farpoint.ready")
    settle(browser)


def open_without(browser, folder, name, script):
    """Opens a page after running `script`, which removes a feature of the browser."""
    added = browser.call("Page.addScriptToEvaluateOnNewDocument", source=script)
    open_page(browser, folder, name)
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=added["identifier"])


def check_picking(browser, cloud, index):
    """Checks that a click on a visible point shows that point."""
    place = browser.evaluate(f"farpoint.placeOf({cloud}, {index})")
    check(place is not None, f"point {index} of cloud {cloud} has a place")
    browser.click(*canvas_place(browser, *place))
    settle(browser)
    rows = picked_rows(browser)
    expected = {"Cloud": ["input", "result"][cloud], "Index": f"{index:,}"}
    check({key: rows.get(key) for key in expected} == expected, f"picked {expected}, found {rows}")
    return rows


def press(browser, key, code):
    browser.evaluate("farpoint.canvas.focus()")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=code)
    browser.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=code)
    settle(browser)


def look_from(browser, yaw, pitch):
    browser.evaluate(f"farpoint.camera.look({yaw}, {pitch}), farpoint.camera.fit(farpoint.aspect), farpoint.camera.zoom(2)")
    browser.evaluate("farpoint.draw()")
    settle(browser)


def set_control(browser, name, value):
    browser.evaluate(f"""(() => {{
      const control = document.getElementById({name!r});
      if (control.type === 'checkbox') control.checked = {json.dumps(value)};
      else control.value = {json.dumps(value)};
      control.dispatchEvent(new Event('input'));
    }})()""")
    settle(browser)


def colors_at(browser, points):
    """Returns colors of the canvas at the pixels of points (in the scene's unit)."""
    return browser.evaluate(f"""(() => {{
      const {{ camera, scene, panes, renderer }} = farpoint;
      const {{ width, height }} = panes[0], {{ gl }} = renderer;
      farpoint.drawNow();
      return {json.dumps(points)}.map((point) => {{
        const place = point.map((value, axis) => (value - scene.origin[axis]) / scene.scale);
        const [x, y] = camera.project(place, farpoint.aspect);
        if (Math.abs(x) > 1 || Math.abs(y) > 1) throw new Error('not in the picture');
        const pixel = new Uint8Array(4);
        gl.readPixels(Math.floor((x + 1) / 2 * width), Math.floor((y + 1) / 2 * height), 1, 1, gl.RGBA, gl.UNSIGNED_BYTE,
                      pixel);
        return [...pixel].slice(0, 3);
      }});
    }})()""")


def color_at(browser, point):
    return colors_at(browser, [point])[0]


def pick_at(browser, point):
    """Returns the index picked at a point's pixel; None if nothing is picked."""
    return browser.evaluate(f"""(() => {{
      const {{ camera, scene, canvas }} = farpoint;
      const place = {list(point)}.map((value, axis) => (value - scene.origin[axis]) / scene.scale);
      const [x, y] = camera.project(place, farpoint.aspect);
      const found = farpoint.pick((x + 1) / 2 * canvas.clientWidth, (1 - y) / 2 * canvas.clientHeight);
      return found && found.index;
    }})()""")
