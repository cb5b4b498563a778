"""Opens the sample pages in a browser and checks them; see check-page."""
import pathlib
import sys

from page_browser import Browser

FAILURES = []


def check(is_true, text):
    """Notes a failure, and goes on."""
    if not is_true:
        FAILURES.append(text)
        print("FAILED:", text)


# What axe and its kin look for, as far as a page like this can get it wrong. Returns texts, none if all is well.
AUDIT = r"""(() => {
  const found = [];
  const isShown = element => element.checkVisibility({visibilityProperty: true}) && element.getClientRects().length;
  const all = selector => [...document.querySelectorAll(selector)].filter(isShown);
  const named = element => (element.getAttribute('aria-label') || (element.getAttribute('aria-labelledby') || '')
    .split(' ').map(id => document.getElementById(id)?.textContent || '').join('') || element.textContent
    || [...(element.labels || [])].map(label => label.textContent).join('')).trim();
  for (const name of ['header', 'main', 'footer', 'h1']) {
    if (document.querySelectorAll('body ' + name).length !== 1) found.push('not one ' + name);
  }
  if (!document.documentElement.lang || !document.title) found.push('no language or title');
  for (const element of all('button, select, input, a, [tabindex], [role=region], section, aside, form, summary')) {
    if (!named(element) && !element.matches('section')) found.push('no name: ' + element.outerHTML.slice(0, 120));
    if (element.matches('section') && !element.getAttribute('aria-labelledby')) found.push('section without a name');
  }
  for (const element of all('svg')) {
    if (!element.closest('[aria-hidden=true]') && !element.getAttribute('aria-label')) found.push('svg without a name');
  }
  for (const table of all('table')) {
    const isNamed = table.caption || table.getAttribute('aria-label');
    if (!isNamed || !table.querySelector('th')) found.push('table without a name or headers');
  }
  for (const element of document.querySelectorAll('[aria-labelledby], [aria-describedby], [aria-activedescendant]')) {
    for (const name of ['aria-labelledby', 'aria-describedby', 'aria-activedescendant']) {
      for (const id of (element.getAttribute(name) || '').split(' ').filter(Boolean)) {
        if (!document.getElementById(id)) found.push(name + ' names nothing: ' + id);
      }
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
  if (new Set(ids).size !== ids.length) found.push('an id is there twice');
  let level = 0;
  for (const heading of all('h1, h2, h3, h4')) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) found.push('a heading leaves out a level: ' + heading.textContent);
    level = own;
  }
  // Contrast, of every element that has a text of its own.
  const parse = text => {
    const parts = text.match(/[\d.]+/g).map(Number);
    return text.startsWith('color(srgb') ? [...parts.slice(0, 3).map(part => part * 255), parts[3] ?? 1]
      : [...parts.slice(0, 3), parts[3] ?? 1];
  };
  const luminance = color => {
    const [red, green, blue] = color.slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const rectOf = text => {
    // The rectangle of a drawing that a text is on: the last one drawn before it that contains it.
    const box = text.getBoundingClientRect(), svg = text.ownerSVGElement;
    let found = null;
    for (const rect of svg.querySelectorAll('rect')) {
      if (!(text.compareDocumentPosition(rect) & Node.DOCUMENT_POSITION_PRECEDING)) continue;
      const area = rect.getBoundingClientRect(), fill = getComputedStyle(rect).fill;
      if (fill === 'none' || area.height < 10) continue;
      const middle = [box.left + 2, box.top + box.height / 2];
      if (area.left <= middle[0] && area.right >= middle[0] && area.top <= middle[1] && area.bottom >= middle[1]) {
        found = fill;
      }
    }
    return found;
  };
  const behind = element => {
    if (element instanceof SVGElement && element.ownerSVGElement) {
      const fill = rectOf(element);
      if (fill) return parse(fill);
      element = element.ownerSVGElement;
    }
    for (let at = element; at; at = at.parentElement) {
      const color = parse(getComputedStyle(at).backgroundColor);
      if (color[3] === 1) return color;
    }
    return [255, 255, 255, 1];
  };
  const seen = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!hasText || !isShown(element) || element.closest('title, script, style, option')) continue;
    const style = getComputedStyle(element);
    const color = parse(element instanceof SVGElement ? style.fill : style.color), below = behind(element);
    const [high, low] = [luminance(color), luminance(below)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05), key = color + '/' + below;
    if (ratio < 4.5 && !seen.has(key)) {
      seen.add(key);
      found.push('contrast ' + ratio.toFixed(2) + ': ' + element.textContent.trim().slice(0, 40) + ' ' + key);
    }
  }
  return found;
})()"""

# Texts of the diagram that leave their box or run into each other.
OVERLAPS = r"""(() => {
  const found = [];
  for (const group of document.querySelectorAll('.diagram .box, .diagram .frame, .diagram .branch')) {
    const frame = group.querySelector('rect:last-of-type') && [...group.querySelectorAll('rect:not(.bar)')].pop();
    const outer = frame.getBoundingClientRect();
    const texts = [...group.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);
    for (const [text, box] of texts) {
      if (box.right > outer.right + 1 || box.bottom > outer.bottom + 1) found.push('leaves its box: ' + text.textContent);
    }
    for (let index = 1; index < texts.length; index += 1) {
      if (texts[index][1].top < texts[index - 1][1].bottom - 4) found.push('overlaps: ' + texts[index][0].textContent);
    }
  }
  // A line of two is half outside of its rectangle.
  const drawing = document.querySelector('.diagram')?.getBoundingClientRect();
  for (const rect of document.querySelectorAll('.diagram rect')) {
    const box = rect.getBoundingClientRect();
    if (box.right > drawing.right - 1 || box.left < drawing.left + 1) found.push('an outline is cut off');
  }
  return found;
})()"""

# Tables that don't fit the window, lines above the first row, and labels that say nothing.
STRAY = r"""(() => {
  const found = [];
  const parts = [...document.querySelectorAll('table, pre, dl, .chart-box, details')];
  for (const part of parts) {
    const room = part.parentElement.clientWidth + 1;
    if (part.id !== 'events' && part.checkVisibility() && part.getBoundingClientRect().width > room) {
      found.push('is wider than its place: ' + part.outerHTML.slice(0, 60));
    }
  }
  for (const cell of document.querySelectorAll('thead th, thead td')) {
    if (parseFloat(getComputedStyle(cell).borderTopWidth)) found.push('a line above a table: ' + cell.outerHTML);
  }
  for (const text of document.querySelectorAll('#chart .span text')) {
    if (/^#.*…$|^.{0,4}…$/.test(text.textContent)) found.push('a label says nothing: ' + text.textContent);
  }
  return found;
})()"""
ROWS = "document.querySelectorAll('#events tbody:not([aria-hidden]) tr').length"
COUNT = "document.getElementById('count').textContent"
CHOSEN = "document.querySelector('#events tr[aria-selected=true]')?.id"


def quiet(browser, url, text):
    """A page has no errors and messages, and asks for nothing but itself."""
    check(not browser.problems, f"{text}: {browser.problems[:3]}")
    check(browser.requests == [url], f"{text}: requests {browser.requests[:3]}")


def check_all(browser, folder):
    """Every sample opens without a message and passes the audit in every theme and width."""
    for page in sorted(folder.glob("*.html")):
        url, name = page.as_uri(), page.stem
        expected = int(page.with_suffix(".count").read_text())
        browser.size(1240, 900)
        seconds = browser.open(url)
        shown = browser.run(COUNT)
        check(shown == f"{expected:,} of {expected:,} rows", f"{name}: {shown}, not {expected}")
        rows = browser.run(ROWS)
        check(min(expected, 10) <= rows <= 60, f"{name}: {rows} rows are elements")
        check(seconds < 10, f"{name}: opens in {seconds:.1f} s")
        # The policy must be there, and must work.
        blocked = browser.run("(() => { try { document.body.innerHTML = '<b>x</b>'; } catch { return true } })()")
        check(blocked, f"{name}: the policy allows texts to become elements")
        browser.problems = []
        browser.open(url)
        for theme in ("light", "dark"):
            browser.media(prefers_color_scheme=theme)
            for width, height in ((1280, 900), (400, 800)):
                browser.size(width, height, mobile=width == 400)
                for problem in browser.run(AUDIT) + browser.run(STRAY):
                    check(False, f"{name}, {theme}, {width}: {problem}")
                spread = browser.run("document.documentElement.scrollWidth")
                check(spread <= width, f"{name}: {spread} wide in a window of {width}")
        for problem in browser.run(OVERLAPS):
            check(False, f"{name}: {problem}")
        quiet(browser, url, name)
        browser.media(prefers_color_scheme="light")
        print(f"{name}: {expected:,} events, {page.stat().st_size / 1e6:.1f} MB, open in {seconds:.2f} s")


def check_use(browser, folder):
    """The filters, the keys, the detail and the drawing of one page."""
    url = (folder / "album.html").as_uri()
    browser.size(1240, 900)
    browser.open(url)
    # The event that reported the failure is chosen, and the log is within the first two screens.
    detail = browser.run("document.getElementById('detail').innerText")
    check("quota(used: 40" in detail, f"the event of the failure isn't chosen: {detail[:80]}")
    check(browser.run("scrollY") == 0, "choosing the event has scrolled the page")
    top = browser.run("document.getElementById('log').getBoundingClientRect().top")
    check(top < 1800, f"the log begins at {top}")
    # A step opens a panel with what it read and wrote, and closes it.
    browser.run("[...document.querySelectorAll('.steps .name')].find(e => e.textContent.includes('publish')).click()")
    panel = browser.run("document.querySelector('.steps .opened')?.innerText ?? ''")
    check("Values that it declares to read" in panel and "albums/7" in panel, f"the panel of a step: {panel[:200]}")
    browser.run("document.querySelector('.steps [aria-expanded=true]').click()")
    check(browser.run("document.querySelectorAll('.steps .opened').length") == 0, "the panel doesn't close")
    names = browser.run("[...document.querySelectorAll('#chart .step-name')].map(e => e.textContent)")
    check(any("publish" in name for name in names), f"the chart's rows have no names: {names}")
    times = browser.run("[...document.querySelectorAll('time')].map(e => e.title.endsWith(' UTC') && e.textContent).join('; ')")
    check("false" not in times and times, f"the times: {times}")
    browser.run("document.getElementById('filter-text').focus()")
    browser.type("QUOTA(")
    browser.run("new Promise(done => setTimeout(done, 200))")
    check(browser.run(ROWS) >= 1, "the text filter finds nothing")
    texts = browser.run("[...document.querySelectorAll('#events .what')].slice(1).map(e => e.textContent)")
    check(all("quota(" in text for text in texts), f"the text filter finds others: {texts}")
    browser.run("document.getElementById('filter-none').click()")
    everything = browser.run(COUNT)
    browser.run("(() => { const e = document.getElementById('filter-level'); e.value = '3';"
                "e.dispatchEvent(new Event('change')); })()")
    errors = browser.run("[...document.querySelectorAll('#events tbody:not([aria-hidden]) tr')]"
                         ".every(row => row.classList.contains('l-3'))")
    check(errors and browser.run(COUNT) != everything, "the level filter shows other levels")
    browser.run("document.getElementById('filter-none').click()")
    # By the keyboard alone: the table is reached with the tabulator, and its rows with the arrows.
    browser.run("document.getElementById('filter-none').focus()")
    browser.key("Tab")
    if browser.run("document.activeElement.id") == "rows":
        browser.key("Tab")
    check(browser.run("document.activeElement.id") == "events", "the log isn't next in the order of the keyboard")
    browser.key("Home")
    for _ in range(3):
        browser.key("ArrowDown")
    check(browser.run(CHOSEN) == "event-3", f"three arrows after Home choose {browser.run(CHOSEN)}")
    browser.key("End")
    last = browser.run("Number(document.querySelector('#events').getAttribute('aria-rowcount')) - 2")
    check(browser.run(CHOSEN) == f"event-{last}", f"End chooses {browser.run(CHOSEN)} of {last}")
    bucket = browser.run("[...document.querySelectorAll('#bucket tbody tr')].map(row => row.innerText)")
    check(any(row.startswith("pages") and row.endswith("5") for row in bucket), f"the bucket at the end: {bucket}")
    check(any(row.startswith("token") and row.endswith("<redacted>") for row in bucket), "the token isn't hidden")
    browser.key("Home")
    bucket = browser.run("[...document.querySelectorAll('#bucket tbody tr')].map(row => row.innerText)")
    check(bucket and not any(row.startswith("pages") for row in bucket), f"the bucket at the start: {bucket}")
    # The diagram: one of its boxes is reached with the tabulator, the others with the arrows.
    browser.run("document.querySelector('.diagram [tabindex=\"0\"]').focus()")
    browser.key("ArrowDown")
    browser.key("Enter")
    check(browser.run("document.getElementById('filter-step').value") != "", "Enter on a box doesn't filter")
    browser.run("document.getElementById('filter-none').click()")
    browser.run("document.querySelector('a[data-event]').click()")
    detail = browser.run("document.getElementById('detail').innerText")
    check("quota(used: 40" in detail, "the link of the cause doesn't choose the event")
    # The timeline: more can be told apart after zooming in, and all is shown again.
    before = browser.run("document.querySelectorAll('#chart .span').length")
    check(before > 20, f"{before} bars")
    browser.run("document.getElementById('chart').focus()")
    for _ in range(3):
        browser.key("+", "+")
    part = browser.run("document.getElementById('zoom-range').textContent")
    check(part.startswith("Shows +"), f"plus doesn't zoom: {part}")
    later, earlier = "document.getElementById('later')", "document.getElementById('earlier')"
    drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    browser.key("0", "0")
    browser.run(drawn)
    check(browser.run(f"{later}.ariaDisabled + {earlier}.ariaDisabled") == "truetrue", "all is shown, but it moves")
    for _ in range(3):
        browser.key("+", "+")
    browser.run(f"{later}.click()")
    browser.run(drawn)
    moved = browser.run("document.getElementById('zoom-range').textContent")
    check(moved.startswith("Shows +") and moved != part, f"Later doesn't move the timeline: {moved}")
    browser.run(f"{earlier}.click()")
    browser.run(drawn)
    check(browser.run("document.getElementById('zoom-range').textContent") == part, "Earlier doesn't move it back")
    for _ in range(40):
        browser.run(f"{earlier}.click()")
    browser.run(drawn)
    ends = browser.run(f"{earlier}.ariaDisabled + {later}.ariaDisabled")
    check(ends == "truefalse", f"Earlier doesn't reach the beginning: {ends}")
    browser.run("document.getElementById('chart').focus()")
    browser.key("0", "0")
    check(browser.run("document.getElementById('zoom-range').textContent").startswith("Shows all"), "0 shows not all")
    browser.run("document.getElementById('theme').click(); document.getElementById('theme').click()")
    check(browser.run("document.documentElement.dataset.theme") == "dark", "the theme doesn't change")
    check(browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(20, 21, 23)", "dark isn't dark")
    quiet(browser, url, "album in use")


def check_sizes(browser, folder):
    """The item that failed is on the first screen, long texts open, and what isn't recorded is told."""
    url = (folder / "upload.html").as_uri()
    for width, height in ((1280, 900), (400, 800)):
        browser.size(width, height, mobile=width == 400)
        browser.open(url)
        for part in (".cause .error", ".cause .item"):
            bottom = browser.run(f"document.querySelector('{part}')?.getBoundingClientRect().bottom ?? 1e9")
            check(bottom <= height, f"{part} ends at {bottom} of {height}, {width} wide")
    values = browser.run("[...document.querySelectorAll('.cause td em')].map(cell => cell.innerText).join()")
    check(values == "not recorded,not recorded,not recorded", f"values that aren't recorded are shown as {values}")
    detail = browser.run("document.getElementById('detail').innerText")
    check("left out events before this one" in detail, "values before a gap are shown as those after it")
    whole = "document.querySelector('.cause .clamp').innerText.split('The server takes files').length > 12"
    check(not browser.run(whole), "a long text is shown as a whole")
    browser.run("document.querySelector('.cause .clamp summary')?.click()")
    browser.settle()
    check(browser.run(whole), "a long text can't be opened")
    for name in ("upload", "items"):
        browser.size(1280, 900)
        browser.open((folder / f"{name}.html").as_uri())
        check(browser.run("document.querySelectorAll('#chart .unknown').length") >= 1, f"{name}: gaps aren't drawn")
        check("drawn: the record has left out" in browser.run("document.body.innerText"), f"{name}: nothing is missing")
    quiet(browser, (folder / "items.html").as_uri(), "items")
    browser.open((folder / "quick.html").as_uri())
    marks = browser.run("[...document.querySelectorAll('#chart .tick')].map(mark => mark.textContent)")
    check(len(marks) > 3 and all(mark.endswith(" µs") for mark in marks), f"the axis of a run of 640 µs: {marks}")
    times = browser.run("[...document.querySelectorAll('#events td.time, a[data-event]')].map(e => e.textContent)")
    check("+621 µs" in times and all(time.endswith(" µs") for time in times), f"the times of a run of 640 µs: {times}")


def check_injection(browser, folder):
    """What came from data is text in every place, and not one element more."""
    url = (folder / "injected.html").as_uri()
    browser.open(url)
    check(browser.run("document.querySelectorAll('script').length") == 2, "there is another script")
    check(browser.run("document.querySelectorAll('img, b').length") == 0, "there is an element from data")
    check("</script><script>alert(1)</script>" in browser.run("document.querySelector('h1').textContent"), "the name")
    count = browser.run("Number(document.querySelector('#events').getAttribute('aria-rowcount')) - 1")
    browser.run("document.getElementById('events').focus()")
    for _ in range(count):
        browser.key("ArrowDown")
    check("<script>alert(1)</script>" in browser.run("document.getElementById('detail').innerText"), "a value")
    check(browser.run("document.querySelectorAll('script').length") == 2, "choosing adds a script")
    quiet(browser, url, "injected")


def check_large(browser, folder):
    """All of 100,000 events can be reached, and filters stay quick."""
    url = (folder / "large.html").as_uri()
    browser.size(1240, 900)
    browser.open(url)
    browser.run("document.getElementById('rows').scrollTop = 1e9")
    browser.settle()
    last = browser.run("document.querySelector('#events').getAttribute('aria-rowcount')")
    shown = browser.run("[...document.querySelectorAll('#events tr')].map(row => row.getAttribute('aria-rowindex')).pop()"
                        " || [...document.querySelectorAll('#events [aria-rowindex]')].pop().getAttribute('aria-rowindex')")
    check(shown == last, f"the end of the log is row {shown} of {last}")
    took = browser.run("(() => { const e = document.getElementById('filter-text'), begun = performance.now();"
                       "e.value = 'is refused'; e.form.requestSubmit(); return performance.now() - begun; })()")
    check(took < 3000, f"a filter takes {took} ms")
    found = browser.run(COUNT)
    check(found.startswith("10 of "), f"the filter finds {found}")
    quiet(browser, url, "large")


def check_bare(browser, folder):
    """Without scripts: the outcome, the cause, the diagram, and the first rows of the log."""
    browser.scripts(False)
    browser.open((folder / "large.html").as_uri())
    browser.scripts(True)
    check(browser.run(ROWS) == 200, "without scripts, there are not 200 rows")
    browser.scripts(False)
    browser.open((folder / "album.html").as_uri())
    browser.size(1240, 900)
    browser.screenshot(folder / "without-scripts.png")
    browser.scripts(True)
    text = browser.run("document.body.innerText")
    for part in ("Failed", "quota(used: 40", "Diagram", "sign in", "Critical path", "Steps"):
        check(part in text, f"without scripts, {part} isn't there")
    check(not browser.run("document.getElementById('filter-none').checkVisibility()"), "a filter without a script")


def take_pictures(browser, folder):
    """Pictures for people to look at."""
    for name, width, theme in (("album", 1240, "light"), ("album", 1240, "dark"), ("album", 390, "light"),
                               ("large", 1240, "light"), ("injected", 1240, "light"), ("long", 1240, "dark"),
                               ("nested", 390, "dark"), ("refused", 1240, "light"), ("running", 1240, "light"),
                               ("upload", 1280, "light"), ("upload", 400, "light"), ("items", 1280, "light"),
                               ("items", 400, "light"), ("quick", 1280, "light"), ("quick", 400, "light"),
                               *((name, width, theme) for name in ("nightly", "resumed", "upload")
                                 for width in (1280, 400) for theme in ("light", "dark"))):
        browser.media(prefers_color_scheme=theme)
        browser.size(width, 900, mobile=width <= 400)
        browser.open((folder / f"{name}.html").as_uri())
        if name in ("album", "large"):
            browser.run("[...document.querySelectorAll('#events .w-added, #events .w-succeeded')].pop().click()")
        browser.run("scrollTo(0, 0)")
        browser.size(width, min(browser.run("document.documentElement.scrollHeight"), 5000), mobile=width <= 400)
        browser.screenshot(folder / f"{name}-{width}-{theme}.png")
    # The picture of the README: copy it to Docs/Images/page.png if the page has changed.
    browser.media(prefers_color_scheme="light")
    browser.size(1240, 520)
    browser.open((folder / "publish.html").as_uri())
    browser.screenshot(folder / "page.png", whole=False)
    browser.media("print")
    browser.size(800, 4000)
    browser.open((folder / "album.html").as_uri())
    browser.run("dispatchEvent(new Event('beforeprint'))")
    browser.screenshot(folder / "album-print.png")
    browser.media()
    browser.pdf(folder / "album.pdf")


def main():
    """Checks all samples in a folder with a browser."""
    folder = pathlib.Path(sys.argv[2]).resolve()
    browser = Browser(sys.argv[1])
    try:
        check_all(browser, folder)
        check_use(browser, folder)
        check_sizes(browser, folder)
        check_injection(browser, folder)
        check_large(browser, folder)
        check_bare(browser, folder)
        take_pictures(browser, folder)
    finally:
        browser.close()
    if FAILURES:
        sys.exit(f"check-page: {len(FAILURES)} checks failed")
    print("check-page: the pages are right in a browser")


main()
