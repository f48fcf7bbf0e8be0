"""Sequences, cubes and splats in a browser."""
import math

from page_support import (LOOK_AT_CANVAS, check, color_at, colors_at, look_from, open_page, open_without, pick_at,
                          picked_rows, press, set_control)


def check_sequence(browser, folder):
    open_page(browser, folder, "sequence.html")
    text = "document.getElementById('moment-name').textContent"
    check(browser.evaluate(text) == "1 of 3: row 0", "the first moment is shown")
    pictures = [browser.evaluate(LOOK_AT_CANVAS)]
    camera = "JSON.stringify([farpoint.camera.yaw, farpoint.camera.pitch, farpoint.camera.distance, farpoint.camera.target])"
    browser.evaluate("farpoint.camera.turn(0.3, 0.2), farpoint.draw()")
    before = browser.evaluate(camera)
    check(browser.evaluate("farpoint.placeOf(0, 50)") is not None, "a point of this moment has a place")
    check(browser.evaluate("farpoint.placeOf(2, 50)") is None, "a point of another moment has none")
    browser.evaluate("farpoint.pick(...farpoint.placeOf(0, 50))")
    check(picked_rows(browser).get("Cloud") == "rows", "a point of the first moment can be picked")
    for moment, expected in ((1, "rows100 pointstenths10 points"), (2, "rows100 points")):
        press(browser, ".", "Period")
        check(browser.evaluate(text) == f"{moment + 1} of 3: row {moment}", "a full stop steps forward")
        figures = browser.evaluate("document.getElementById('moment-figures').textContent")
        check(f"{10 * moment} m" in figures, f"the moment has its figures: {figures}")
        pictures.append(browser.evaluate(LOOK_AT_CANVAS))
        names = browser.evaluate("document.getElementById('names').textContent")
        check(names == expected, f"clouds of moment {moment}: {names}")
    check(not picked_rows(browser), "a point of another moment is not picked any longer")
    check(len({picture["hash"] for picture in pictures}) == 3, "each moment has its own picture")
    check(browser.evaluate(camera) == before, "the camera stays")
    press(browser, ",", "Comma")
    check(browser.evaluate("farpoint.moment") == 1, "a comma steps back")
    browser.evaluate("""(() => {
      const slider = document.getElementById('moment');
      slider.value = 0;
      slider.dispatchEvent(new Event('input'));
      window.seen = new Set();
      const { showMoment } = farpoint;
      farpoint.showMoment = function(moment) { window.seen.add(moment); showMoment.call(this, moment); };
      document.getElementById('speed').value = '20';
    })()""")
    check(browser.evaluate("farpoint.moment") == 0, "the slider chooses a moment")
    press(browser, " ", "Space")
    check(browser.evaluate("document.getElementById('play').textContent") == "Pause", "it plays")
    browser.evaluate("""new Promise((done) => {
      const wait = () => (window.seen.size === 3 ? done() : setTimeout(wait, 20));
      wait();
    })""")
    browser.evaluate("document.getElementById('play').click()")
    stopped = browser.evaluate("farpoint.moment")
    browser.evaluate("new Promise((done) => setTimeout(done, 200))")
    check(browser.evaluate("farpoint.moment") == stopped, "it pauses")


def check_cubes(browser, folder):
    open_page(browser, folder, "cubes.html")
    for place, expected in (("names", "voxels4 voxels"), ("clouds", "voxels4 voxels")):
        text = browser.evaluate(f"document.getElementById('{place}').textContent").strip()
        check(text == expected, f"{place} count voxels: {text}")
    set_control(browser, "shading", "0")
    ground = browser.evaluate("farpoint.ground")
    look_from(browser, -1.5708, 1.5708)
    cells = [(0, 0, 0), (4, 0, 0), (0, 3, 0), (4, 3, 2)]
    tops = [[100 + 2 * cell + share for cell, share in zip(cells[i], (1.0, 1.6, 2))] for i in range(4)]
    for i, top in enumerate(tops):
        check(color_at(browser, top) != ground, f"cube {i} covers its cell")
        check(pick_at(browser, top) == i, f"a click on cube {i} finds its voxel")
    between = (105, 104, 100)
    check(color_at(browser, between) == ground and pick_at(browser, between) is None, "there is nothing between the cubes")
    # A face that looks up is brighter than one that looks aside.
    look_from(browser, -1.0, 0.5)
    up, aside = color_at(browser, (101, 101, 102)), color_at(browser, (101, 100, 101))
    check(sum(up) > sum(aside) + 30, f"faces have a light each: {up}, {aside}")
    cubes = browser.evaluate(LOOK_AT_CANVAS)
    set_control(browser, "shape", "dots")
    dots = browser.evaluate(LOOK_AT_CANVAS)
    check(0 < sum(dots["drawn"]) < sum(cubes["drawn"]) / 10, f"centroids are smaller than cubes: {dots}, {cubes}")


def check_splats(browser, folder):
    open_page(browser, folder, "splats.html")
    for name in ("shading", "by-distance"):
        set_control(browser, name, "0" if name == "shading" else False)
    look_from(browser, 0.3, 0.2)
    first = browser.evaluate(LOOK_AT_CANVAS)
    check(first["error"] == 0, "WebGL has no error")

    axes = browser.evaluate("farpoint.camera.axes()")

    def toward_eye(right, top):
        """The place on the sphere that is seen so far right of its middle, and above it."""
        shares = {"right": right, "top": top, "back": math.sqrt(1 - right ** 2 - top ** 2)}
        return [sum(share * axes[name][axis] for name, share in shares.items()) for axis in range(3)]

    ground = browser.evaluate("farpoint.ground")
    places = [toward_eye(0.15 * x, 0.15 * y) for x in range(-4, 5) for y in range(-4, 5)]
    check(ground not in colors_at(browser, places), "the sphere is closed")
    lit, unlit = (sum(color) for color in colors_at(browser, [toward_eye(-0.5, 0.6), toward_eye(0.6, -0.6)]))
    check(lit > unlit + 40, f"the light comes from the upper left: {lit}, {unlit}")
    for index in (5, 700, 1500, 2400, 2995):
        z, angle = 1 - (2 * index + 1) / 3000, 2.399963 * index
        point = [math.sqrt(1 - z * z) * math.cos(angle), math.sqrt(1 - z * z) * math.sin(angle), z]
        in_front = sum(a * b for a, b in zip(point, axes["back"]))
        picked = pick_at(browser, point)
        if in_front > 0.2:
            check(picked == index, f"splat {index} is picked, found {picked}")
        elif in_front < -0.1:
            check(picked != index, f"splat {index} is hidden")
    browser.evaluate("farpoint.camera.turn(1.5, 0.3)")
    turned = browser.evaluate(LOOK_AT_CANVAS)
    check(turned["hash"] != first["hash"] and sum(turned["drawn"]) > 0.9 * sum(first["drawn"]), "a turn changes the picture")
    set_control(browser, "size", "1")
    set_control(browser, "shape", "dots")
    dots = browser.evaluate(LOOK_AT_CANVAS)
    check(sum(dots["drawn"]) < 0.7 * sum(first["drawn"]), "points leave gaps that splats close")


def check_ellipses(browser, folder):
    open_page(browser, folder, "ellipses.html")
    set_control(browser, "shading", "0")
    look_from(browser, -1.5708, 1.5708)
    browser.evaluate("farpoint.camera.zoom(2.5)")
    places = [(-0.9, 0, 0), (0, 0.5, 0), (0.9, 0, 0), (0, 0, 0), (-0.2, 0, 0)]
    red, green, blue, middle, near_red = colors_at(browser, places)
    for color, channel in ((red, 0), (green, 1), (blue, 2)):
        others = [color[other] for other in range(3) if other != channel]
        check(color[channel] > 150 and max(others) < 60, f"a splat has its color: {color}")
    check(abs(middle[0] - middle[2]) < 12 and middle[0] > 60, f"colors are blended where splats overlap: {middle}")
    check(middle[1] < 60, f"what lies behind takes no part: {middle}")
    # The rim of the red one, seen before the green one: no gap between them.
    rim = [(-0.5 + math.cos(angle), 0.25 * math.sin(angle), 0) for angle in (0.1 * step for step in range(-20, 21))]
    check([255, 255, 255] not in colors_at(browser, rim), "there is no gap at a rim")
    check(near_red[0] > near_red[2] + 20, f"the nearer splat weighs more: {near_red}")

    # A browser that cannot blend colors shows points.
    open_without(browser, folder, "ellipses.html", "WebGL2RenderingContext.prototype.getExtension = () => null")
    check(browser.evaluate("farpoint.renderer.shapes().join()") == "dots", "without an extension there are no splats")
    check(sum(browser.evaluate(LOOK_AT_CANVAS)["drawn"]) > 0, "points are drawn in their place")
