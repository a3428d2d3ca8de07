"""browser.py - drives a headless Chromium over the pipe of its remote debugging protocol, with nothing but the standard library."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The path of the browser, or None."""
    return next((path for name in ('chromium', 'chromium-browser', 'google-chrome') if (path := shutil.which(name))), None)


class Browser:
    """One tab. Messages are JSON, each closed by a zero byte: the browser reads them from its descriptor 3 and answers on 4."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix='sustain-browser-')
        theirs, self.to = os.pipe()
        self.back, answers = os.pipe()
        spare = [os.dup(theirs), os.dup(answers)]  # so that none of the two is 3 or 4 when these are made

        def descriptors():
            first, second = os.dup(spare[0]), os.dup(spare[1])
            os.dup2(os.dup(first), 3)
            os.dup2(second, 4)

        while min(spare) < 5:
            spare = [os.dup(n) for n in spare]
        self.process = subprocess.Popen(
            [find(), '--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--disable-dev-shm-usage', '--no-first-run',
             '--disable-extensions', '--disable-background-networking', '--remote-debugging-pipe', f'--user-data-dir={self.profile}', 'about:blank'],
            preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for n in (theirs, answers):
            os.close(n)
        self.rest, self.number, self.session, self.errors = b'', 0, None, []
        target = self.send('Target.createTarget', url='about:blank')['targetId']
        self.session = self.send('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.send(f'{domain}.enable')

    def close(self):
        try:
            self.send('Browser.close')
            self.process.wait(20)
        except Exception:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol ----

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b'\0' not in self.rest:
            if not select.select([self.back], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError('the browser does not answer')
            more = os.read(self.back, 1 << 20)
            if not more:
                raise ConnectionError('the browser has ended')
            self.rest += more
        text, self.rest = self.rest.split(b'\0', 1)
        return json.loads(text)

    def note(self, event):
        """Keeps what went wrong in the page."""
        method, values = event.get('method'), event.get('params', {})
        if method == 'Runtime.exceptionThrown':
            self.errors.append(values['exceptionDetails'].get('exception', {}).get('description') or values['exceptionDetails']['text'])
        elif method == 'Log.entryAdded' and values['entry']['level'] in ('error', 'warning'):
            self.errors.append(values['entry']['text'])
        elif method == 'Runtime.consoleAPICalled' and values['type'] in ('error', 'warning', 'assert'):
            self.errors.append(str(values['args']))
        elif method == 'Network.requestWillBeSent' and not values['request']['url'].startswith(('file:', 'data:', 'blob:', 'about:')):
            self.errors.append('the page asks for ' + values['request']['url'])

    def send(self, method, **values):
        self.number += 1
        command = {'id': self.number, 'method': method, 'params': values}
        if self.session:
            command['sessionId'] = self.session
        os.write(self.to, json.dumps(command).encode() + b'\0')
        while True:
            answer = self.message(60)
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']
            self.note(answer)

    def wait(self, method):
        while True:
            event = self.message(60)
            self.note(event)
            if event.get('method') == method:
                return

    # ---- what a person does ----

    def open(self, path, width, height, dark=False):
        self.errors = []
        self.send('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'},
                                                           {'name': 'prefers-reduced-motion', 'value': 'reduce'}])
        self.send('Page.navigate', url='file://' + os.path.abspath(path))
        self.wait('Page.loadEventFired')

    def run(self, script):
        """The value of an expression in the page."""
        answer = self.send('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        if 'exceptionDetails' in answer:
            raise RuntimeError(answer['exceptionDetails'].get('exception', {}).get('description', 'an exception'))
        return answer['result'].get('value')

    def middle(self, selector):
        return self.run(f'''(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}});
            const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; }})()''')

    def hover(self, x, y):
        self.send('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)

    def click(self, selector):
        x, y = self.middle(selector)
        for kind in ('mousePressed', 'mouseReleased'):
            self.send('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)

    def key(self, name):
        for kind in ('keyDown', 'keyUp'):
            self.send('Input.dispatchKeyEvent', type=kind, key=name, code=name)

    def type(self, text):
        """Text into the field that has the focus."""
        self.send('Input.insertText', text=text)

    def give(self, selector, path):
        """A file for an input of files."""
        root = self.send('DOM.getDocument')['root']['nodeId']
        self.send('DOM.setFileInputFiles', nodeId=self.send('DOM.querySelector', nodeId=root, selector=selector)['nodeId'], files=[os.path.abspath(path)])

    def screenshot(self, path, whole=True):
        # The height as it is now: the browser's own is that before a script took sections away.
        width, height = self.run('[document.documentElement.clientWidth, document.documentElement.scrollHeight]')
        clip = {'clip': {'x': 0, 'y': 0, 'width': width, 'height': height, 'scale': 1}} if whole else {}
        picture = self.send('Page.captureScreenshot', format='png', captureBeyondViewport=whole, **clip)['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(picture))

    def pdf(self, path):
        with open(path, 'wb') as file:
            file.write(base64.b64decode(self.send('Page.printToPDF', printBackground=True)['data']))
