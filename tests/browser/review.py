"""review.py - the review of a run: decisions by keys and by clicks, kept, exported and imported, and how many wrong labels are left. reviews.py makes the runs."""
import csv
import json
import math
import os
import re
import subprocess


def rows_of(page):
    """review.csv, with numbers for classes and groups: older runs have them there, others the names."""
    with open(os.path.join(page.folder(), 'review.csv'), newline='') as file:
        rows = list(csv.DictReader(file))
    if 'given_label' in rows[0]:
        number = {name: k for k, name in enumerate(load(page, 'config.json')['data']['classes'])}
        group = {entry['name']: k for k, entry in enumerate(load(page, 'result.json').get('groups', []))}
        for row in rows:
            row.update(given=number[row.pop('given_label')], suggested=number[row.pop('suggested_label')], verified=number.get(row['verified'], -1), group=group.get(row.get('group'), -1))
    return [{key: float(value) for key, value in row.items()} for row in rows]


def suspicious(page):
    """The rows of the list, in its order: flagged ones, and those after them that the page lists."""
    open_rows = [row for row in rows_of(page) if row.get('verified', -1) < 0]
    listed, beyond = [], 0
    for row in open_rows:
        more = row['is_issue'] == 0 and not row.get('next') and row['probability_wrong'] >= 0.02 and beyond < 2000
        beyond += more
        if row['is_issue'] or row.get('next') or more:
            listed.append(row)
    return listed


def load(page, name):
    with open(os.path.join(page.folder(), name)) as file:
        return json.load(file)


def names(page):
    return load(page, 'config.json')['data']['classes']


def saved_file(page, button):
    """What a button saves."""
    return page.value(f'''(async () => {{ let blob; const before = URL.createObjectURL; URL.createObjectURL = b => {{ blob = b; return 'data:,'; }};
        document.querySelector({json.dumps(button)}).click(); URL.createObjectURL = before; return blob.text(); }})()''')


def exported(page):
    text = saved_file(page, '[data-action=export]')
    lines = list(csv.reader(text.splitlines()))
    assert lines[0] == ['run', 'row', 'given', 'decision', 'label'], lines[0]
    assert all(line[0] == load(page, 'result.json')['review_id'] for line in lines[1:]), 'another run'
    return [line[1:] for line in lines[1:]]


def current(page):
    return int(page.value('document.querySelector(".under-review").dataset.row'))


def into_view(page):
    page.value('document.activeElement.blur(); document.querySelector(".review").scrollIntoView()')


def click(page, action):
    page.browser.click(f'[data-action={action}]')


def choose(page, text):
    """Another class, by part of its name."""
    page.browser.key('c')
    assert page.value('document.activeElement.getAttribute("role")') == 'combobox', 'the list has no focus'
    page.browser.type(text)
    page.browser.key('Enter')


# ---- how many are left, computed here from the files ----

def shifted(p, d):
    return p / (p + (1 - p) * math.exp(-d)) if 0 < p < 1 else float(p > 0)


def expected_left(page, reviewed, wrong):
    """The estimate and its interval after rows were reviewed and `wrong` of them found wrong; shifts by bisection."""
    result, rows = load(page, 'result.json'), rows_of(page)
    known = sum(row.get('verified', -1) >= 0 and row['verified'] != row['given'] for row in rows)
    open_rows = [row for row in rows if row.get('verified', -1) < 0]
    found = []
    for key in ('estimated_errors', 'estimated_errors_low', 'estimated_errors_high'):
        low, high = -30, 30
        for _ in range(80):
            middle = (low + high) / 2
            if sum(shifted(row['probability_wrong'], middle) for row in open_rows) > result[key] - known:
                high = middle
            else:
                low = middle
        found.append(sum(shifted(row['probability_wrong'], low) for row in open_rows if row['row'] not in reviewed))
    least, most = (result[f'estimated_errors_{end}'] - known - wrong for end in ('low', 'high'))
    return [found[0], min(found[1], max(0, least)), max(found[2], most)]


def shown_left(page):
    return [int(number) for number in re.findall(r'\d+', page.text('.remaining').replace(',', '').replace('95 %', ''))]


def near_left(page, reviewed, wrong):
    shown, wanted = shown_left(page), expected_left(page, reviewed, wrong)
    assert len(shown) == 3 and all(abs(a - b) <= 0.51 for a, b in zip(shown, wanted)), (shown, wanted)
    return shown


# ---- cases ----

def by_keys(page):
    rows, classes = suspicious(page), names(page)
    other = next(k for k in range(len(classes)) if k not in (rows[2]['given'], rows[2]['suggested']))
    page.whole()
    into_view(page)
    for key in 'ak':
        page.browser.key(key)
    choose(page, classes[other])
    page.browser.key('u')
    assert current(page) == rows[4]['row']
    wanted = [[rows[0], 'accept', rows[0]['suggested']], [rows[1], 'keep', rows[1]['given']], [rows[2], 'class', other], [rows[3], 'unsure', None]]
    assert exported(page) == [[f'{row["row"]:.0f}', classes[int(row['given'])], how, '' if k is None else classes[int(k)]] for row, how, k in wanted], exported(page)
    assert '2 wrong, 1 right, 1 unsure' in page.text('.progress'), page.text('.progress')
    assert [page.count(f'.card.{how}') for how in ('accept', 'keep', 'class', 'unsure')] == [1, 1, 1, 1]
    page.browser.key('z')
    page.browser.key('z')
    assert current(page) == rows[2]['row'] and len(exported(page)) == 2
    page.browser.key('ArrowRight')
    assert current(page) == rows[3]['row']
    page.browser.key('ArrowLeft')
    page.browser.key('ArrowLeft')
    assert current(page) == rows[1]['row'] and 'keep' in page.value('document.querySelector(".under-review").className')
    page.browser.key('a')  # another decision about the same row, and back
    assert exported(page)[1][2] == 'accept' or exported(page)[0][2] == 'accept'
    page.browser.key('z')
    assert sorted(line[2] for line in exported(page)) == ['accept', 'keep']


def by_clicks(page):
    rows = suspicious(page)
    for action in ('accept', 'keep', 'unsure', 'accept', 'undo', 'following', 'previous'):
        click(page, action)
    assert [line[2] for line in exported(page)] == ['accept', 'keep', 'unsure'] and current(page) == rows[3]['row']
    click(page, 'class')
    page.browser.click('.picker li:nth-child(2)')
    assert len(exported(page)) == 4 and page.value('document.querySelector(".picker").hidden')
    page.browser.click(f'.card[data-row="{rows[7]["row"]:.0f}"]')
    assert current(page) == rows[7]['row']
    page.whole()


def opens_where_it_was(page):
    rows = suspicious(page)
    into_view(page)
    for key in 'aakau':
        page.browser.key(key)
    before = exported(page)
    page.again()
    assert exported(page) == before and current(page) == rows[5]['row']
    page.browser.key('z')
    assert len(exported(page)) == 4 and current(page) == rows[4]['row']
    page.whole()


def fed_back(page):
    """Decisions that were exported and given to the program: the page of the new run opens where the reviewer was, and asks of no row again."""
    rows = suspicious(page)
    into_view(page)
    for key in ('a', 'a', 'k', 'ArrowRight', 'ArrowRight'):
        page.browser.key(key)
    at, decisions = current(page), os.path.join(page.folder(), 'decisions.csv')
    with open(decisions, 'w') as file:
        file.write(saved_file(page, '[data-action=export]'))
    program = os.path.join(os.path.dirname(os.path.dirname(page.folder())), 'sustain')
    subprocess.run([program, 'clean', '--out', page.folder(), '--reviewed', decisions, '--quiet'], check=True, capture_output=True)
    done = {row['row'] for row in rows_of(page) if row['verified'] >= 0}
    assert {row['row'] for row in rows[:3]} <= done and at == rows[5]['row'] not in done
    page.again()
    assert current(page) == at, (current(page), at)
    listed = {row['row'] for row in suspicious(page)}
    for _ in range(5):
        page.browser.key('u')
        assert current(page) in listed - done
    page.whole()


def falls(page):
    rows = suspicious(page)
    start = near_left(page, set(), 0)
    into_view(page)
    for _ in range(30):
        page.browser.key('a')
    after = near_left(page, {row['row'] for row in rows[:30]}, 30)
    assert all(a < b for a, b in zip(after, start)), (start, after)
    page.browser.key('u')  # unsure: it is still left
    near_left(page, {row['row'] for row in rows[:30]}, 30)
    page.browser.key('k')
    near_left(page, {row['row'] for row in rows[:30] + rows[31:32]}, 30)
    page.value('''(() => { const s = document.querySelector('[data-stop]'); s.value = '0.5'; s.dispatchEvent(new Event('change')); })()''')
    assert re.search('after (about|more than) ', page.text('.stop')) and page.value('document.querySelector("[data-stop]").value') == '0.5'


def says_stop(page):
    """Rows whose labels are hardly ever wrong are not worth a look."""
    page.value('''(() => { const s = document.querySelector('[data-filter=list]'); s.value = ''; s.dispatchEvent(new Event('change')); })()''')
    result, rows, classes = load(page, 'result.json'), suspicious(page), names(page)
    path = os.path.join(page.folder(), 'all.csv')
    with open(path, 'w', newline='') as file:
        lines = csv.writer(file, lineterminator='\n')
        lines.writerow(['run', 'row', 'given', 'decision', 'label'])
        for row in rows:
            if row['probability_wrong'] >= 0.05:
                lines.writerow([result['review_id'], int(row['row']), classes[int(row['given'])], 'keep', classes[int(row['given'])]])
    page.browser.give('.exchange input', path)
    page.value('new Promise(done => setTimeout(done, 200))')
    assert 'you can stop now' in page.text('.stop'), page.text('.stop')
    assert 'were expected' in page.text('.left'), 'no word about decisions that do not fit'


def imports(page):
    rows, classes = suspicious(page), names(page)
    identity, path = load(page, 'result.json')['review_id'], os.path.join(page.folder(), 'given.csv')
    given, suggested = classes[int(rows[5]['given'])], classes[int(rows[5]['suggested'])]
    number = f'{rows[5]["row"]:.0f}'

    def give(*lines, header='run,row,given,decision,label'):
        with open(path, 'w', newline='') as file:
            file.write('\ufeff' + header + '\r\n')
            csv.writer(file).writerows(lines)
        page.browser.give('.exchange input', path)
        page.value('new Promise(done => setTimeout(done, 200))')
        return page.text('.exchange .warning') if not page.value('document.querySelector(".exchange .warning").hidden') else ''

    for sentence, lines in {'another run': [['r0000000000000000', number, given, 'keep', given]], 'twice': [[identity, number, given, 'keep', given]] * 2,
                            'is no class': [[identity, number, given, 'class', 'no such class']], 'is none of': [[identity, number, given, 'perhaps', given]],
                            'the data has changed': [[identity, number, given + 'x', 'keep', given]], 'is no row': [[identity, '-3', given, 'keep', given]],
                            'has no label': [[identity, number, given, 'unsure', given]], 'fields': [[identity, number, given, 'keep']]}.items():
        told = give(*lines)
        assert sentence in told and 'given.csv, line ' in told, (sentence, told)
        assert page.value('document.querySelector("[data-action=export]").disabled'), 'something was imported'
    assert 'the first line must be' in give(header='row,label')
    assert give([identity, number, given, 'accept', suggested]) == ''
    assert exported(page) == [[number, given, 'accept', suggested]] and 'imported' in page.text('.status')


def many_classes(page):
    classes, rows = names(page), suspicious(page)
    into_view(page)
    page.browser.key('c')
    assert page.count('.picker li') == 50 and '950 more' in page.text('.picker .note')
    page.browser.type('lepidoptera 73')  # without the accent
    assert page.count('.picker li') == 10 and page.text('.picker li') == 'Lepidóptera 730 of family 27'
    page.browser.key('ArrowDown')
    page.browser.key('ArrowDown')
    page.browser.key('Enter')
    assert exported(page) == [[f'{rows[0]["row"]:.0f}', classes[int(rows[0]['given'])], 'class', classes[732]]], exported(page)
    choose(page, 'rein"')
    assert exported(page)[1][3] == 'Öl, "rein"'
    choose(page, '=1+1')  # not for a spreadsheet to compute
    assert exported(page)[2][3] == "'=1+1", exported(page)
    path = os.path.join(page.folder(), 'formula.csv')
    with open(path, 'w') as file:
        file.write(saved_file(page, '[data-action=export]'))
    page.browser.run('localStorage.clear()')
    page.again()
    page.browser.give('.exchange input', path)
    page.value('new Promise(done => setTimeout(done, 200))')
    assert page.value('document.querySelector(".exchange .warning").hidden') and [line[3] for line in exported(page)][1:] == ['Öl, "rein"', "'=1+1"], page.text('.exchange')
    into_view(page)
    page.browser.key('c')
    page.browser.type('no such thing')
    assert page.count('.picker li') == 0 and 'No class' in page.text('.picker .note')
    page.browser.key('Escape')
    assert page.value('document.querySelector(".picker").hidden') and len(exported(page)) == 3
    page.whole()


def shows_texts(page):
    with open(os.path.join(page.folder(), 'shown.csv'), newline='') as file:
        shown = {int(row['row']): row for row in csv.DictReader(file)}
    assert page.text('.under-review blockquote') == shown[current(page)]['body']
    assert page.count('.matrix') == 0 and page.count('.under-review canvas') == 0


def shows_fields(page):
    with open(os.path.join(page.folder(), 'shown.csv'), newline='') as file:
        shown = {int(row['row']): list(row.values())[1:] for row in csv.DictReader(file)}
    assert page.value('[...document.querySelectorAll(".under-review .fields dd")].map(e => e.textContent)') == shown[current(page)]
    page.value('''(() => { const s = document.querySelector('[data-filter=list]'); s.value = 'next'; s.dispatchEvent(new Event('change')); })()''')
    wanted = [row['row'] for row in sorted(rows_of(page), key=lambda row: row['next']) if row['next'] > 0]
    assert [float(row) for row in page.value('[...document.querySelectorAll(".card")].map(e => e.dataset.row)')] == wanted[:page.count('.card')]
    page.whole()


def shows_groups(page):
    groups = load(page, 'result.json')['groups']
    ranked = [group['name'] for group in sorted(groups, key=lambda group: group['weight'])]
    assert page.value('[...document.querySelectorAll("td[data-group]")].map(e => e.textContent)') == ranked
    page.browser.click('td[data-group] button')
    group = [g['name'] for g in groups].index(ranked[0])
    some = [row for row in suspicious(page) if row['group'] == group]
    assert page.text('.pager output').endswith(f'of {len(some):,}') and current(page) == some[0]['row']
    bins = load(page, 'result.json')['reliability']
    shown = page.read('reliability', 'ArrowRight')
    assert abs(shown[0] - bins[0]['said']) < 1e-5 and abs(shown[1] - bins[0]['right']) < 1e-5, shown


def storage_refused(page):
    script = page.browser.send('Page.addScriptToEvaluateOnNewDocument', source='Object.defineProperty(window, "localStorage", {get() { throw new DOMException("refused", "SecurityError"); }})')
    page.again()
    told = page.text('.exchange .warning') if not page.value('document.querySelector(".exchange .warning").hidden') else ''
    into_view(page)
    page.browser.key('a')
    count = len(exported(page))
    page.browser.send('Page.removeScriptToEvaluateOnNewDocument', identifier=script['identifier'])
    page.again()
    assert 'export them' in told and count == 1, told


def can_be_operated(page):
    """Every control has a name, and the keyboard reaches it."""
    unnamed = page.value('''[...document.querySelectorAll('.review button, .review select, .review input')].filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')))
        .map(e => e.outerHTML)''')
    assert not unnamed, unnamed
    small = page.value('''[...document.querySelectorAll('.actions button')].filter(e => e.offsetHeight < 44).length''')
    assert small == 0, 'buttons too small for a finger'


REVIEWS = {'pictures': [by_keys, by_clicks, opens_where_it_was, falls, says_stop, imports, shows_groups, storage_refused, can_be_operated],
           'texts': [by_keys, opens_where_it_was, falls, many_classes, shows_texts], 'fields': [by_clicks, falls, imports, shows_fields],
           'reviewed': [fed_back]}
