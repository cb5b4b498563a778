"""A headless Chromium that is driven over a pipe, with nothing but Python's own library."""
import base64
import json
import os
import subprocess
import tempfile
import time


class Browser:
    """A browser with one page; every message of the page is kept in `problems`."""

    def __init__(self, program):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        arguments = [
            program, "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-extensions",
            "--no-first-run", "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--force-color-profile=srgb", "--user-data-dir=" + self._folder.name, "about:blank",
        ]

        def connect():
            # Messages arrive at descriptor 3 and leave from descriptor 4. Both may be in the way of the other.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            reading, writing = (os.dup2(descriptor, place) for descriptor, place in ((reading, 13), (writing, 14)))
            os.dup2(13, 3)
            os.dup2(14, 4)

        self._process = subprocess.Popen(
            arguments, preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self._buffer, self._number, self._events = b"", 0, []
        self.problems, self.requests, self._has_scripts = [], [], True
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = None
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM", "Accessibility"):
            self.call(domain + ".enable")

    def close(self):
        """Ends the browser."""
        try:
            self._session = None
            self.call("Browser.close")
        except (OSError, EOFError):
            pass
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None):
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self._note(answer)

    def _receive(self):
        while b"\0" not in self._buffer:
            chunk = os.read(self._in, 1 << 20)
            if not chunk:
                raise EOFError("the browser has ended")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.problems.append("error: " + json.dumps(parameters["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled":
            self.problems.append("console: " + json.dumps(parameters["args"])[:300])
        elif method == "Log.entryAdded":
            self.problems.append("log: " + parameters["entry"]["text"][:600])
        elif method == "Page.javascriptDialogOpening":
            self.problems.append("dialog: " + parameters["message"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        self._events.append(method)

    def open(self, url):
        """Opens a page, waits for its end of loading, and returns how many seconds that took."""
        self.problems, self.requests, self._events = [], [], []
        begun = time.monotonic()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self._events:
            self._note(self._receive())
        self.settle()
        return time.monotonic() - begun

    def settle(self):
        """Waits until two frames have been drawn, which takes scripts."""
        if not self._has_scripts:
            return
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def run(self, expression):
        """Returns the value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:800])
        return result["result"].get("value")

    def size(self, width, height, mobile=False):
        """Sets the size of the window."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        self.settle()

    def media(self, kind="", **features):
        """Sets the medium, such as print, and features such as the preferred theme."""
        listed = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", media=kind, features=listed)
        self.settle()

    def scripts(self, are_enabled):
        """Turns scripts on or off, for pages that are opened later."""
        self.call("Emulation.setScriptExecutionDisabled", value=not are_enabled)
        self._has_scripts = are_enabled

    def key(self, key, text=None):
        """Presses a key, and releases it."""
        codes = {"Tab": 9, "Enter": 13, "End": 35, "Home": 36, "PageDown": 34, "ArrowDown": 40, "ArrowUp": 38,
                 "ArrowRight": 39, "ArrowLeft": 37}
        code = codes.get(key, ord(key[0].upper()))
        extra = {"text": text or "\r"} if text or key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **extra)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)
        self.settle()

    def type(self, text):
        """Types a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def screenshot(self, path, whole=True):
        """Saves a picture of the page."""
        result = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(result["data"]))

    def pdf(self, path):
        """Prints the page."""
        result = self.call("Page.printToPDF", printBackground=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(result["data"]))
