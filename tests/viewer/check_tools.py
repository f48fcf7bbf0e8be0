"""Tools of a picture: measuring, clipping, saving, links and lighting."""
import base64
import math
import struct

from page_support import (LOOK_AT_CANVAS, check, color_at, look_from, open_page, pick_at, picked_rows, press,
                          set_control, settle)

OVERLAY = """(() => {
  const { canvas } = farpoint.overlay;
  farpoint.drawNow();
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let drawn = 0;
  for (let i = 3; i < data.length; i += 4) drawn += data[i] > 0;
  return drawn;
})()"""


def measured_rows(browser):
    return dict(browser.evaluate(
        "[...document.querySelectorAll('#measured tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"))


def check_ruler(browser, folder):
    open_page(browser, folder, "cubes.html")
    look_from(browser, -1.0, 0.9)
    before = browser.evaluate(OVERLAY)
    # The bar has a round length, and two points at this distance are drawn the bar's pixels from each other.
    bar = browser.evaluate("farpoint.overlay.barOf(farpoint.boxOfPane(farpoint.panes[0]))")
    digit = bar["length"] / 10 ** math.floor(math.log10(bar["length"]))
    check(round(digit, 6) in (1, 2, 5) and 30 < bar["pixels"] <= 120, f"the scale bar has a round length: {bar}")
    apart = browser.evaluate(f"""(() => {{
      const {{ camera, scene, panes }} = farpoint;
      const {{ right }} = camera.axes();
      const at = (length) => camera.target.map((value, axis) => value + right[axis] * length / scene.scale);
      const ends = [at(0), at({bar["length"]})].map((place) => farpoint.placeInPane(panes[0], place));
      return ends[1][0] - ends[0][0];
    }})()""")
    check(abs(apart - bar["pixels"]) < 0.01, f"the scale bar is right: {apart}, {bar}")

    press(browser, "m", "KeyM")
    check(browser.evaluate("document.getElementById('measure').getAttribute('aria-pressed')") == "true", "M measures")
    cells = [(0, 0, 0), (4, 3, 2)]
    for i, cell in zip((0, 3), cells):
        top = [100 + 2 * at + share for at, share in zip(cell, (1, 1, 2))]
        check(pick_at(browser, top) == i, f"voxel {i} is an end")
    # Distances between centroids, which have equal offsets in their cells.
    expected = {"Distance": math.sqrt(64 + 36 + 16), "Horizontal": 10, "Vertical": 4, "Along x": 8, "Along y": 6, "Along z": 4}
    rows = {name: float(text.split()[0]) for name, text in measured_rows(browser).items()}
    check(rows.keys() == expected.keys(), f"a distance has its parts: {rows}")
    check(all(abs(rows[name] - value) < 1e-4 for name, value in expected.items()), f"distances are right: {rows}")
    check(browser.evaluate(OVERLAY) > before + 100, "a line is drawn")
    set_control(browser, "axes", False)
    without = browser.evaluate(OVERLAY)
    press(browser, "m", "KeyM")
    check(0 == browser.evaluate(OVERLAY) < without, "axes, scale bar and line can be switched off")


def check_clipping(browser, folder):
    open_page(browser, folder, "cubes.html")
    look_from(browser, -1.5708, 1.5708)
    high = (109, 107, 106)  # the top of the fourth cube
    check(pick_at(browser, high) == 3, "without a box all is drawn")
    set_control(browser, "clip", True)
    check(pick_at(browser, high) == 3, "nor does the box clip anything at first")
    set_control(browser, "clip-high-z", "0.5")
    ground = browser.evaluate("farpoint.ground")
    set_control(browser, "axes", False)
    check(pick_at(browser, high) is None and color_at(browser, high) == ground, "what is outside the box is gone")
    check(pick_at(browser, (101, 101, 102)) == 0, "what is inside stays")
    edge = browser.evaluate("document.getElementById('clip-high-z').nextElementSibling.textContent")
    check(abs(float(edge) - 102.3) < 0.01, f"a side says where it is: {edge}")
    check(browser.evaluate(OVERLAY) > 500, "the box is drawn")
    set_control(browser, "clip", False)
    check(pick_at(browser, high) == 3, "the box can be switched off")


def check_light_and_size(browser, folder):
    open_page(browser, folder, "two.html")
    set_control(browser, "layout", "0")
    pictures = []
    for strength in ("0", "1.5", "4"):
        set_control(browser, "shading", strength)
        pictures.append(browser.evaluate(LOOK_AT_CANVAS))
    check(len({picture["hash"] for picture in pictures}) == 3, "eye-dome lighting has a strength")
    check(pictures[0]["colors"] < pictures[1]["colors"], "it adds shades")
    # Close to the camera, dots of a fixed size leave gaps; dots that grow with proximity close the surface.
    browser.evaluate("farpoint.camera.zoom(0.1), farpoint.draw()")
    shares = []
    for larger in (False, True):
        set_control(browser, "by-distance", larger)
        shares.append(sum(browser.evaluate(LOOK_AT_CANVAS)["drawn"]))
    check(shares[1] > 3 * shares[0], f"points are larger when they are near: {shares}")

    legend = "document.getElementById('legend').textContent"
    check("Height (m)" in browser.evaluate(legend), "the legend names what it shows, with its unit")
    colors = set()
    for name in browser.evaluate("[...document.getElementById('map').options].map(({ value }) => value)"):
        set_control(browser, "map", name)
        colors.add(browser.evaluate(LOOK_AT_CANVAS)["hash"])
    check(len(colors) == 5, f"each scale of colors has its picture: {len(colors)}")


def check_picture(browser, folder):
    open_page(browser, folder, "two.html")
    data = browser.evaluate("""farpoint.picture().then((blob) => new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done(reader.result);
      reader.readAsDataURL(blob);
    }))""")
    check(data.startswith("data:image/png;base64,"), "a picture is a PNG")
    png = base64.b64decode(data.split(",")[1])
    width, height = struct.unpack(">II", png[16:24])
    canvas = browser.evaluate("[farpoint.canvas.width, farpoint.canvas.height]")
    check(width == canvas[0] and height == canvas[1] + 74, f"with a title above and a scale below: {width}, {height}")
    look = browser.evaluate("""(async () => {
      const picture = await createImageBitmap(await farpoint.picture());
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d', { willReadFrequently: true });
      context.drawImage(picture, 0, 0);
      const colors = (y, height) => {
        const { data } = context.getImageData(0, y, picture.width, height);
        const found = new Set();
        for (let i = 0; i < data.length; i += 4) found.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
        return found.size;
      };
      return [colors(0, 34), colors(34, picture.height - 74), colors(picture.height - 40, 40)];
    })()""")
    check(look[0] > 5 and look[1] > 100 and look[2] > 100, f"title, points and scale are in the picture: {look}")


def check_link(browser, folder):
    open_page(browser, folder, "two.html")
    for control, value in (("layout", "0"), ("size", "5"), ("map", "Heat"), ("axes", False), ("clip", True), ("clip-low-x", "0.25")):
        set_control(browser, control, value)
    browser.evaluate("""(() => {
      farpoint.camera.look(0.5, 0.7);
      farpoint.camera.zoom(0.7, 0.1, 0.2);
      farpoint.choose(farpoint.choices.find(({ name }) => name === 'Intensity'));
      farpoint.draw();
    })()""")
    settle(browser)
    before = browser.evaluate(LOOK_AT_CANVAS)
    browser.evaluate("document.getElementById('link').click()")
    link = browser.evaluate("location.hash")
    check(link.startswith("#camera="), f"the address has the view: {link}")
    browser.evaluate("document.querySelector('[data-view=top]').click()")
    set_control(browser, "clip", False)
    settle(browser)
    check(browser.evaluate(LOOK_AT_CANVAS)["hash"] != before["hash"], "another view is another picture")
    browser.call("Page.reload")
    browser.evaluate("new Promise((done) => setTimeout(done, 200))")
    browser.evaluate("farpoint.ready")
    settle(browser)
    after = browser.evaluate(LOOK_AT_CANVAS)
    check(after["hash"] == before["hash"], f"the link shows the same picture: {before}, {after}")
    # An invalid link changes nothing and causes no error.
    for link in ("#camera=1,2", "#camera=a,b,c,d,e,f&color=none&layout=99&clip=1&moment=77&range=x", "#camera=0,0,-1,0,0,0&shape=cubes"):
        browser.evaluate(f"location.hash = {link!r}, new Promise((done) => setTimeout(done, 50))")
        look = browser.evaluate(LOOK_AT_CANVAS)
        check(sum(look["drawn"]) > 500 and look["error"] == 0, f"nonsense in a link does no harm: {link}, {look}")
    check(not picked_rows(browser), "no point is picked by a link")
