"""Drives a headless Chromium by its DevTools protocol, over a pipe; needs nothing but Python."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_program():
    """Path of a Chromium, or None. Ubuntu's package is a wrapper that only says how to get a snap."""
    for name in PROGRAMS:
        path = shutil.which(name)
        if path is None:
            continue
        try:
            answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if answer.returncode == 0 and any(character.isdigit() for character in answer.stdout):
            return path
    return None


class BrowserError(Exception):
    pass


class Browser:
    """One page of a browser that ends with the `with` block."""

    def __init__(self, program, width=1200, height=800, scale=1, dark=False):
        self.profile = tempfile.mkdtemp(prefix="farpoint_browser_")
        from_test, self.to_browser = os.pipe()
        self.from_browser, to_test = os.pipe()

        # The browser reads from 3 and writes to 4. Neither may be overwritten before it was copied.
        def take_pipes():
            read, write = os.dup(from_test), os.dup(to_test)
            high_read, high_write = 100, 101
            os.dup2(read, high_read)
            os.dup2(write, high_write)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        # Renders in software, as the machine that runs the tests may have no GPU.
        command = [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-dev-shm-usage",
                   "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
                   "--disable-extensions", "--disable-background-networking", "--user-data-dir=" + self.profile,
                   f"--force-device-scale-factor={scale}", "about:blank"]
        self.log = open(os.path.join(self.profile, "log"), "wb")  # noqa: SIM115
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
                                        close_fds=False, preexec_fn=take_pipes)  # noqa: PLW1509
        os.close(from_test)
        os.close(to_test)
        self.buffer = b""
        self.calls = 0
        self.events = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.to_browser)  # it ends
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.from_browser)
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise BrowserError("no answer in time")
            data = os.read(self.from_browser, 1 << 20)
            if not data:
                with open(self.log.name, errors="replace") as log:
                    raise BrowserError("the browser has ended:\n" + log.read()[-2000:])
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, timeout=120, **parameters):
        self.calls += 1
        message = {"id": self.calls, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        deadline = time.monotonic() + timeout
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.calls:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        deadline = time.monotonic() + 120
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive(deadline))

    def evaluate(self, expression):
        """Value of a JavaScript expression; of a promise, what it becomes."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(f"{expression}: {json.dumps(answer['exceptionDetails'])}")
        return answer["result"].get("value")

    def mouse(self, kind, x, y, button="none", **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button,
                  buttons={"none": 0, "left": 1, "right": 2}[button], **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, "left", clickCount=1)
        self.mouse("mouseReleased", x, y, "left", clickCount=1)

    def drag(self, start, end, button="left"):
        self.mouse("mouseMoved", *start)
        self.mouse("mousePressed", *start, button, clickCount=1)
        for step in range(1, 6):
            x, y = (a + (b - a) * step / 5 for a, b in zip(start, end))
            self.mouse("mouseMoved", x, y, button)
        self.mouse("mouseReleased", *end, button, clickCount=1)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def complaints(self):
        """Errors and warnings of the console, exceptions, and requests that went elsewhere than to a file."""
        found = []
        for event in self.events:
            method, detail = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(detail["exceptionDetails"])[:500])
            elif method == "Runtime.consoleAPICalled" and detail["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(detail["args"])[:500])
            elif method == "Log.entryAdded" and detail["entry"]["level"] in ("error", "warning"):
                found.append("log: " + json.dumps(detail["entry"])[:500])
            elif method == "Network.requestWillBeSent":
                url = detail["request"]["url"]
                if not url.startswith(("file:", "data:")):
                    found.append("request: " + url[:500])
        return found
