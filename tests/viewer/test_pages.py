#!/usr/bin/env python3
"""test_pages.py PROGRAM FOLDER: PROGRAM writes pages into FOLDER, and a headless Chromium opens them. Exit code 77: there
is none."""
import math
import os
import subprocess
import sys
import time

from browser import Browser, find_program
from check_shapes import check_cubes, check_ellipses, check_sequence, check_splats
from check_tools import check_clipping, check_light_and_size, check_link, check_picture, check_ruler
from page_support import LOOK_AT_CANVAS, canvas_place, check, check_picking, failures, open_page, open_without, settle


def check_two_clouds(browser, folder):
    open_page(browser, folder, "two.html")
    check(browser.evaluate("document.title") == "Wave", "the page has its title")
    first = browser.evaluate(LOOK_AT_CANVAS)
    check(min(first["drawn"]) > 500 and first["colors"] > 50, f"both pictures have points: {first}")
    check(sum(first["drawn"]) < first["pixels"], f"and the ground is seen: {first}")
    check(first["error"] == 0, "WebGL has no error")
    check(browser.evaluate("document.querySelectorAll('script.block').length") == 0, "all blocks were read")

    browser.evaluate("farpoint.camera.look(-1.57, 1.57), farpoint.camera.fit(farpoint.aspect), farpoint.draw()")
    browser.evaluate("document.getElementById('size').value = 1, 0")
    settle(browser)
    # Index 1234 of the result is point 24,680 of the wave; a hundredth of the input was left out.
    rows = check_picking(browser, 1, 1234)
    check(rows.get("x") == "450,020.00000 m" and rows.get("y") == "5,400,030.75000 m", f"coordinates of a result: {rows}")
    rows = check_picking(browser, 0, 39_999)
    check(rows.get("Voxel") == "99" and rows.get("x") == "450,049.75000 m", f"attributes of the last point: {rows}")
    check(rows.get("Color") == "248, 248, 128", f"a color: {rows}")
    intensity = 0.5 + 0.5 * math.sin(49.75) ** 2
    check(abs(float(rows.get("Intensity", "nan")) - intensity) < 1e-5, f"a number: {rows}")
    check_picking(browser, 0, 151)
    check(browser.evaluate("farpoint.placeOf(0, 150)") is None, "a point that is not finite is nowhere")
    check(browser.evaluate("!document.getElementById('marker').hidden"), "the picked point is marked")

    # Each of these changes the picture.
    pictures = [browser.evaluate(LOOK_AT_CANVAS)["hash"]]

    def changes(what):
        settle(browser)
        look = browser.evaluate(LOOK_AT_CANVAS)
        check(look["hash"] not in pictures, what + " changes the picture")
        check(sum(look["drawn"]) > 500, "points are seen after: " + what)
        pictures.append(look["hash"])

    start = canvas_place(browser, 250, 100)
    browser.drag(start, (start[0] + 90, start[1] - 60))
    changes("a turn")
    browser.drag(start, (start[0] + 40, start[1] + 30), "right")
    changes("a move")
    browser.mouse("mouseWheel", *start, deltaX=0, deltaY=-240)
    changes("the wheel")
    browser.evaluate("farpoint.canvas.focus()")
    browser.call("Input.dispatchKeyEvent", type="keyDown", key="ArrowLeft", code="ArrowLeft")
    browser.call("Input.dispatchKeyEvent", type="keyUp", key="ArrowLeft", code="ArrowLeft")
    changes("an arrow key")
    touches = [[(200, 100), (300, 100)], [(180, 110), (320, 130)]]
    for kind, points in [("touchStart", touches[0]), ("touchMove", touches[1]), ("touchEnd", [])]:
        places = [canvas_place(browser, *point) for point in points]
        browser.call("Input.dispatchTouchEvent", type=kind,
                     touchPoints=[{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)])
    changes("a pinch")
    for name in ("Intensity", "Voxel", "Normal", "Color", "Cloud"):
        browser.evaluate(f"""(() => {{
          const choice = document.getElementById('choice');
          choice.value = [...choice.options].find(({{ text }}) => text === {name!r}).value;
          choice.dispatchEvent(new Event('input'));
        }})()""")
        changes("color by " + name)
    browser.evaluate("document.getElementById('theme').click()")
    changes("the theme")
    for layout in ("overlaid", "0", "1"):
        browser.evaluate(f"""(() => {{
          const layout = document.getElementById('layout');
          layout.value = {layout!r};
          layout.dispatchEvent(new Event('input'));
        }})()""")
        changes("layout " + layout)
    browser.evaluate("document.querySelector('[data-view=fit]').click()")
    changes("reset")

    # A context that is lost and comes back.
    before = browser.evaluate(LOOK_AT_CANVAS)["hash"]
    browser.evaluate("""(async () => {
      const { canvas } = farpoint;
      const lose = farpoint.renderer.gl.getExtension('WEBGL_lose_context');
      const happens = (name) => new Promise((done) => canvas.addEventListener(name, done, { once: true }));
      const lost = happens('webglcontextlost'), restored = happens('webglcontextrestored');
      lose.loseContext();
      await lost;
      await new Promise((done) => setTimeout(done, 50));
      lose.restoreContext();
      await restored;
    })()""")
    settle(browser)
    check(browser.evaluate(LOOK_AT_CANVAS)["hash"] == before, "the picture comes back with the context")


def check_names(browser, folder):
    # Simulates an older browser, which lacks Uint8Array.fromBase64.
    open_without(browser, folder, "names.html", "delete Uint8Array.fromBase64")
    check(browser.evaluate("document.title").startswith("</script><script>"), "the title is text")
    check(browser.evaluate("document.images.length") == 0, "no name became markup")
    check(browser.evaluate("document.querySelectorAll('td')[0].textContent").startswith("</script>"), "figures are text")
    check(browser.evaluate(LOOK_AT_CANVAS)["colors"] > 10, "the cloud is drawn")


def check_empty(browser, folder):
    open_page(browser, folder, "empty.html")
    text = browser.evaluate("document.getElementById('message').textContent")
    check(text == "There are no points to draw.", f"an empty page says so: {text}")
    check("2 left out" in browser.evaluate("document.getElementById('clouds').textContent"), "what was left out is counted")


def check_truncated(browser, folder):
    with open(os.path.join(folder, "two.html"), "rb") as file:
        page = file.read()
    for more in range(4):  # base64 has four digits a group
        with open(os.path.join(folder, "half.html"), "wb") as file:
            file.write(page[:len(page) // 2 + more])
        browser.open(os.path.join(folder, "half.html"))
        text = browser.evaluate("farpoint.ready.then(() => 'ready', (error) => error.message)")
        check("incomplete" in text, f"half a page says so: {text}")


def main():
    program, folder = sys.argv[1:3]
    chromium = find_program()
    if chromium is None:
        print("SKIPPED: pages were not opened in a browser: there is no Chromium.")
        return 77
    subprocess.run([program, folder], check=True)
    start = time.monotonic()
    with Browser(chromium, width=900, height=500) as browser:
        for part in (check_two_clouds, check_sequence, check_cubes, check_splats, check_ellipses, check_ruler, check_clipping,
                     check_light_and_size, check_picture, check_link, check_names, check_empty, check_truncated):
            part(browser, folder)
            for complaint in browser.complaints():
                check(False, f"{part.__name__}: {complaint}")
            print(f"{part.__name__}: {time.monotonic() - start:.1f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
