"""pages.py FOLDER - opens every kind of page in a browser, at desktop and phone width, and does with it what people do. FOLDER has the runs; screenshots
go to FOLDER/screenshots. Every number that is looked at is compared with the files of the run."""
import csv
import json
import os
import sys

from browser import Browser
from review import REVIEWS, saved_file

FOLDER = sys.argv[1]
SHOTS = os.path.join(FOLDER, 'screenshots')
DESKTOP, PHONE = (1280, 900), (360, 780)


def near(a, b):
    return abs(a - b) <= 2e-5 * max(abs(a), abs(b), 1e-300)


def load(*parts):
    with open(os.path.join(FOLDER, *parts)) as file:
        return json.load(file)


def metrics(run):
    with open(os.path.join(FOLDER, run, 'metrics.jsonl')) as file:
        return [json.loads(line) for line in file]


def issues(run):
    with open(os.path.join(FOLDER, run, 'issues.csv'), newline='') as file:
        return [row for row in csv.DictReader(file) if row['is_issue'] == '1']


def listed(run):
    """The rows that the page lists, in its order: the issues, and up to 2,000 others that are wrong with a probability of 2 % or more."""
    with open(os.path.join(FOLDER, run, 'labels.csv'), newline='') as file:
        label = {row['index']: row for row in csv.DictReader(file)}
    with open(os.path.join(FOLDER, run, 'review.csv'), newline='') as file:
        rows = list(csv.DictReader(file))
    others = [row['row'] for row in rows if row['is_issue'] == '0' and float(row['probability_wrong'] or 0) >= 0.02][:2000]
    wanted = {row['row'] for row in rows if row['is_issue'] == '1'} | set(others)
    return [label[row['row']] for row in rows if row['row'] in wanted]


class Page:
    """A page that is open, and the words of a test about it."""

    def __init__(self, browser, run, size, dark=False):
        self.browser, self.run, self.size = browser, run, size
        browser.open(os.path.join(FOLDER, run, 'report.html'), *size, dark)

    def value(self, script):
        return self.browser.run(script)

    def count(self, selector):
        return self.value(f'document.querySelectorAll({json.dumps(selector)}).length')

    def folder(self):
        return os.path.join(FOLDER, self.run)

    def again(self):
        """The same page, opened again."""
        self.browser.open(os.path.join(FOLDER, self.run, 'report.html'), *self.size)

    def text(self, selector):
        return self.value(f'document.querySelector({json.dumps(selector)}).textContent')

    def shot(self, name):
        self.browser.screenshot(os.path.join(SHOTS, f'{self.run}-{name}.png'))

    def whole(self):
        """No error was logged, nothing asked of a network, nothing wider than the screen, every chart drawn with a title and a description."""
        assert not self.browser.errors, self.browser.errors
        assert self.value('document.documentElement.scrollWidth <= innerWidth'), 'wider than the screen'
        charts = self.count('figure.chart')
        assert charts > 0 and self.count('figure.chart svg > title') == charts == self.count('figure.chart svg > desc'), 'a chart is missing'
        assert 'NaN' not in self.value('document.querySelector("main").innerHTML.replace(/<script[^]*?<\\/script>/g, "")'), 'NaN'

    def chart(self, name):
        return f'figure[data-chart="{name}"]'

    def read(self, name, key):
        """The values under the cursor of a chart, after a key."""
        chart = self.chart(name)
        self.value(f'document.querySelector({json.dumps(chart + " .stage > svg")}).focus()')
        self.browser.key(key)
        return self.value(f'''(() => {{ const tip = document.querySelector({json.dumps(chart)}).querySelector('.tip');
            return tip.hidden ? null : [...tip.querySelectorAll('[data-value]')].map(e => Number(e.dataset.value)); }})()''')

    def choose(self, name, axis, key):
        self.browser.click(f'{self.chart(name)} [data-axis="{axis}"] input[value="{key}"] + span')


# ---- what is tested: each function is a case for each size ----

def clean_whole(page):
    result = load('clean', 'result.json')
    page.whole()
    assert page.text('h1').startswith(f'{result["issues"]:,} of {result["training"]:,}'), page.text('h1')
    assert page.count('.advice') == 0, 'there are pictures'


def clean_hover(page):
    points = metrics('clean')
    x, y = page.browser.middle(page.chart('curves') + ' .stage > svg')
    page.browser.hover(x + 5, y)
    assert page.value('!document.querySelector("figure[data-chart=curves] .tip").hidden'), 'no values under the pointer'
    shown = page.value('[...document.querySelectorAll("figure[data-chart=curves] .tip [data-value]")].map(e => Number(e.dataset.value))')
    assert any(near(shown[0], p['gradients_upper']) and near(shown[1], p['upper_loss']) for p in points), shown
    page.browser.hover(1, 1)
    assert page.value('document.querySelector("figure[data-chart=curves] .tip").hidden'), 'the values stay'


def clean_axes(page):
    points = metrics('clean')
    for axis in ('gradients_upper', 'seconds', 'iteration'):
        for metric in ('upper_loss', 'trusted_accuracy'):
            page.choose('curves', 'x', axis)
            page.choose('curves', 'y', metric)
            for i in range(2):
                shown = page.read('curves', 'ArrowRight')
                first = 1 if page.value('document.querySelector("figure[data-chart=curves] [data-log=x]").checked') else 0
                assert near(shown[0], points[first + i][axis]) and near(shown[1], points[first + i][metric]), (axis, metric, shown)
            page.browser.key('Escape')
    page.browser.click('figure[data-chart=curves] [data-log=x]')
    page.whole()


def clean_filter(page):
    rows = listed('clean')
    given, suggested = rows[0]['given_label'], rows[0]['suggested_label']
    numbers = page.value('JSON.parse(document.querySelector("script.data").textContent).classes')
    page.value(f'''(() => {{ const s = document.querySelector('[data-filter=given]'); s.value = {numbers.index(given)}; s.dispatchEvent(new Event('change')); }})()''')
    some = [row for row in rows if row['given_label'] == given]
    assert page.text('.pager output').endswith(f'of {len(some):,}'), page.text('.pager output')
    cell = f'.matrix td[data-given="{numbers.index(given)}"][data-suggested="{numbers.index(suggested)}"]'
    some = [row for row in some if row['suggested_label'] == suggested]
    assert page.text(cell) == str(sum(row['is_issue'] == '1' for row in some)), page.text(cell)
    page.browser.click(cell + ' button')
    assert page.text('.pager output').endswith(f'of {len(some):,}'), page.text('.pager output')
    shown = page.value('[...document.querySelectorAll(".card")].map(e => e.dataset.row)')
    assert shown == [row['index'] for row in some[:len(shown)]] and shown, shown
    assert page.value('[...document.querySelectorAll(".card .labels")].every(e => e.textContent === ' + json.dumps(f'{given} → {suggested}') + ')')
    assert page.value('document.querySelector(".under-review").dataset.row') == some[0]['index']


def clean_pages(page):
    rows = issues('clean')
    size = page.count('.card')
    for button, first in ((':last-child', size), (':last-child', 2 * size), (':first-child', size), (':first-child', 0)):
        page.browser.click('.pager button' + button)
        assert page.value('document.querySelector(".card").dataset.row') == rows[first]['index'], first
        assert page.text('.pager output').startswith(f'{first + 1:,}–'), page.text('.pager output')
    assert page.count('.card canvas') > 0, 'no pictures'
    dark = page.value('''(() => { const c = document.querySelector('.card canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return new Set(d).size; })()''')
    assert dark > 2, 'a picture without contrast'


def clean_csv(page):
    rows = listed('clean')
    saved = list(csv.DictReader(saved_file(page, '.save').splitlines()))
    assert len(saved) == len(rows)
    assert all(a['index'] == b['index'] and a['given_label'] == b['given_label'] and near(float(a['label_quality']), float(b['label_quality'])) for a, b in zip(saved, rows))


def clean_long(page):
    """Many lines of metrics: the chart is drawn of few points, the extremes among them."""
    page.whole()
    values = page.value('JSON.parse(document.querySelector("script.data").textContent).charts.find(c => c.id === "curves").curves[0].values')
    lines = metrics('long')
    assert len(lines) == 150000 and len(values['upper_loss']) <= 4000, len(values['upper_loss'])
    for key in ('upper_loss', 'trusted_accuracy'):
        there, shown = [line[key] for line in lines if line[key] is not None], [v for v in values[key] if v is not None]
        assert near(min(there), min(shown)) and near(max(there), max(shown)) and near(there[0], shown[0]) and near(there[-1], shown[-1]), key
    assert sum(v is not None for v in values['trusted_accuracy']) == 150, 'rare values are lost'


def tables_instead(page):
    """Without JavaScript: every chart is a table, and the worst rows are."""
    assert page.value('document.body.innerText').count('The charts as tables') == 1
    assert page.count('section[data-review] table tbody tr') == 20 and page.value('getComputedStyle(document.querySelector("figure.chart")).display') == 'none'
    last = metrics('clean')[-1]
    cells = page.value('[...[...document.querySelectorAll("h2")].find(e => e.textContent === "The charts as tables").parentElement.querySelector("tbody").lastElementChild.cells].map(e => Number(e.textContent))')
    assert any(near(cell, last['upper_loss']) for cell in cells), cells
    assert not page.browser.errors, page.browser.errors


def words_whole(page):
    """Classes that look like HTML are text."""
    page.whole()
    assert page.value('[...document.querySelectorAll("th")].some(e => e.textContent === "<script>alert(1)</script>")'), 'the class is not shown as it is'
    assert page.value('[...document.querySelectorAll("script")].every(e => !e.textContent.startsWith("alert"))')
    assert page.count('.card') > 0 and page.count('.card canvas') == 0
    assert '--show-columns' in page.text('.advice'), 'rows are shown by their labels alone'


def few_whole(page):
    """Names of any length and script: they are shown, and the matrix stays as large as its numbers."""
    names = set(row['given_label'] for row in issues('few'))
    page.whole()
    assert names <= set(page.value('[...document.querySelectorAll(".matrix tbody th")].map(e => e.textContent)')), 'a name is missing'
    assert page.value('Math.max(...[...document.querySelectorAll(".matrix tbody tr")].map(e => e.offsetHeight))') < 48, 'a row of the matrix is high'
    assert page.value('document.querySelector(".matrix thead").offsetHeight') < 200, 'the head of the matrix is high'
    assert page.text('.next').find(f'{load("few", "result.json")["training"] - len(issues("few")):,} rows of') > 0, page.text('.next')


def many_whole(page):
    """More classes than a matrix has room for: the pairs that come most often, and they lead to the gallery."""
    rows = [(row['given_label'], row['suggested_label']) for row in issues('many')]
    page.whole()
    assert page.count('.matrix') == 0
    shown = page.value('[...document.querySelectorAll("td[data-given]")].map(e => [...e.parentElement.cells].map(c => c.textContent))')
    assert len(shown) == 20 and all(rows.count((given, suggested)) == int(count) for given, suggested, count in shown), shown
    assert int(shown[0][2]) == max(rows.count(pair) for pair in set(rows))
    page.browser.click('td[data-given] button')
    assert page.text('.pager output').endswith(f'of {shown[0][2]}'), page.text('.pager output')


def tune_whole(page):
    result = load('tune', 'result.json')
    page.whole()
    assert near(page.read('single', 'ArrowRight')[1], result['baselines']['path'][0]['upper_loss'])
    assert page.text('dd') == f'{result["upper_loss"]:.5f}'
    with open(os.path.join(FOLDER, 'tune', 'penalties.csv'), newline='') as file:
        names = [row['name'] for row in sorted(csv.DictReader(file), key=lambda row: float(row['log_penalty']))]
    levels = page.value('[...document.querySelectorAll("figure[data-chart=curves] .level text")].map(e => Number(e.getAttribute("y"))).sort((a, b) => a - b)')
    assert len(levels) > 1 and all(b - a >= 12 for a, b in zip(levels, levels[1:])), 'names of levels over each other'
    bars = page.value('[...document.querySelectorAll("td.bar i")].map(e => e.offsetWidth)')
    assert bars == sorted(bars) and bars[-1] > max(bars[:-1]), bars
    assert names == page.value('[...[...document.querySelectorAll("section")].find(e => e.querySelector("h2")?.textContent.startsWith("The penalties")).querySelectorAll("tbody tr")].map(e => e.cells[1].textContent)')


def select_whole(page):
    """Penalties that were selected, and absolute ones: candidates, the path, coefficients."""
    result = load(page.run, 'result.json')
    page.whole()
    assert page.text('dd') == f'{result["estimate"]:.5f}'
    assert near(page.read('single', 'ArrowRight')[1], result['path'][-1]['loss'])
    section = '[...document.querySelectorAll("section")].find(e => e.querySelector(":scope > h2")?.textContent == "Candidates")'
    names = page.value(f'[...{section}.querySelectorAll("tbody tr")].map(e => e.cells[0].textContent)')
    assert names == [row['name'] + ' (selected)' * row['selected'] for row in result['candidates']], names
    assert page.count('figure[data-chart=penalties]') == 1 and page.count('figure[data-chart=calibration]') == 1


def rates_whole(page):
    result = load('rates', 'result.json')['results'][0]
    page.whole()
    page.choose('nonconvex', 'y', 'samples')
    shown = page.read('nonconvex', 'ArrowRight')
    target = result['targets'][0]
    assert near(shown[0], 1 / target['epsilon']) and near(shown[1], target['samples_upper'] + target['samples_lower']), shown
    legend = page.chart('nonconvex') + ' .legend button'
    before = page.count(page.chart('nonconvex') + ' .curve.line')
    page.browser.click(legend)
    assert page.count(page.chart('nonconvex') + ' .curve.line') == before - 1, 'the curve is not hidden'


def demo_whole(page):
    row = load('demo', 'result.json')['rows'][0]
    page.whole()
    shown = page.read('norm', 'ArrowRight')
    assert near(shown[0], row['iterations']) and near(shown[1], row['sustain']), shown


def compare_whole(page):
    compare = load('compare', 'compare.json')
    page.whole()
    curve = compare['panels'][0]['curves'][0]['points']
    first = compare['metrics'][0]['key']
    for axis in [compare['x_default']] + [row['key'] for row in compare['x_axes'] if row['key'] != compare['x_default']]:
        page.choose('panel-0', 'x', axis)
        shown = page.read('panel-0', 'ArrowRight')
        point = next(p for p in curve if p[axis] is not None and p[axis] > 0)
        assert near(shown[0], point[axis]) and near(shown[1], point[first]['mean']), (axis, shown)
    assert page.count('.band') > 0
    best = min(compare['table'], key=lambda row: row[first]['mean'])['label']
    assert page.text('dd') == best, (page.text('dd'), best)


def figure_whole(page):
    claims = load('figure', 'compare.json')['claims']
    page.whole()
    assert page.value('[...document.querySelectorAll(".claims li")].map(e => [e.querySelector("strong").textContent, e.querySelector("em").textContent])') == \
        [[claim['claim'], claim['verdict']] for claim in claims] and claims
    assert page.text('dd') == f'{sum(claim["verdict"] == "came out" for claim in claims)} of {len(claims)}', page.text('dd')


def meta_whole(page):
    task, result = load('meta', 'task.json'), load('meta', 'result.json')
    page.whole()
    assert f'{100 * result["test_accuracy"]:.1f} ±' in page.text('h1'), page.text('h1')
    assert page.count('.class canvas') == len(task['support']) and page.count('.answer canvas') == len(task['query'])
    wrong = sum(a != b for a, b in zip(task['query'], task['predicted']))
    assert page.count('.answer.wrong') == wrong and page.count('.answer.right') == len(task['query']) - wrong
    looks = [line for line in metrics('meta') if line.get('validation_accuracy') is not None]
    page.browser.click(page.chart('curves') + ' .legend button')  # without the curve of training
    shown = page.read('curves', 'ArrowRight')
    assert near(shown[0], looks[0]['iteration']) and near(shown[1], looks[0]['validation_accuracy']), shown


def both_whole(page):
    page.whole()
    assert page.count('section.run') == 3 and page.count('figure[data-chart=curves]') == 3
    page.browser.click('[data-action=accept]')  # both runs have the same rows: what is decided in one is decided in the other
    assert page.value('[...document.querySelectorAll(".progress")].map(e => e.textContent.includes("1 wrong"))') == [True, True]


CASES = {'clean': [clean_whole, clean_hover, clean_axes, clean_filter, clean_pages, clean_csv], 'words': [words_whole],
         'long': [clean_long], 'few': [few_whole], 'many': [many_whole], 'tune': [tune_whole], 'selected': [select_whole], 'lasso': [select_whole],
         'rates': [rates_whole], 'demo': [demo_whole], 'compare': [compare_whole], 'figure': [figure_whole], 'meta': [meta_whole], 'both': [both_whole], **REVIEWS}


def main():
    passed = failed = 0
    os.makedirs(SHOTS, exist_ok=True)
    browser = Browser()
    for run, cases in CASES.items():
        for name, size in (('desktop', DESKTOP), ('phone', PHONE)):
            for case in cases:
                try:
                    page = Page(browser, run, size)
                    case(page)
                    page.browser.errors and page.whole()
                    passed += 1
                except (AssertionError, RuntimeError, StopIteration, KeyError, TypeError) as problem:
                    failed += 1
                    print(f'FAILED {run} {case.__name__}, {name}, line {problem.__traceback__.tb_next.tb_lineno}: {problem!r}')
                browser.run('localStorage.clear()')
            Page(browser, run, size).shot(name)
        Page(browser, run, DESKTOP, dark=True).shot('dark')
        browser.pdf(os.path.join(SHOTS, f'{run}.pdf'))
    browser.send('Emulation.setScriptExecutionDisabled', value=True)
    try:
        tables_instead(Page(browser, 'clean', DESKTOP))
        passed += 1
    except AssertionError as problem:
        failed += 1
        print(f'FAILED tables_instead: {problem!r}')
    browser.close()
    print(f'browser: {passed} passed, {failed} failed')
    sys.exit(failed > 0)


main()
