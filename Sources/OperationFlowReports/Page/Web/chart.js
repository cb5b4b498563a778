const laneHeight = 24, axisHeight = 26;
const isOfStep = span => span[SPAN_ITEM] < 0 && !span[UNDO];
const drawBar = (svg, span, x, width, y, count) => {
  const group = draw('g', {class: 'span t-' + states[span[STATE]][0] + (span[UNDO] ? ' undo' : '')});
  group.append(draw('title', {}, count > 1 ? grouped(count) + ' pieces of work' : titleOf(span)));
  group.append(draw('rect', {x, y: y + 2, width, height: laneHeight - 4, rx: Math.min(3, width / 2)}));
  if (span[CRITICAL]) group.append(draw('rect', {class: 'critical', x, y: y + laneHeight - 5, width, height: 3}));
  const label = labelOf(span);
  // A label is never cut, because a part of an item's number is the number of another item.
  if (!isOfStep(span) && count === 1 && textWidth(label) <= width - 10) {
    group.append(draw('text', {x: x + 5, y: y + 15}, label));
  }
  group.addEventListener('click', () => { if (span[EVENT] >= 0) { clearFilter(); choose(span[EVENT]); } });
  svg.append(group);
};
const textWidth = text => text.length * 6.6;

// Draws the name of a step in its widest bar, or else beside its bars.
const drawName = (svg, lane, y, width) => {
  const own = lane.filter(isOfStep);
  if (!own.length) return;
  const pixels = width / (view.to - view.from), at = time => (time - view.from) * pixels;
  const bars = own.map(span => [Math.max(at(span[START]), 0), Math.min(at(span[END]), width)]);
  const [start, end] = bars.reduce((best, bar) => bar[1] - bar[0] > best[1] - best[0] ? bar : best);
  const attempts = own.length > 1 ? ' ↻' + own[own.length - 1][SPAN_ATTEMPT] : '';
  const label = cut(steps[own[0][SPAN_STEP]][2], 60) + attempts, room = textWidth(label) + 10;
  const farthest = Math.max(...bars.map(bar => bar[1])), first = Math.max(bars[0][0], 0);
  if (farthest < 0 || first > width) return;
  const last = Math.max(farthest, first + 4);
  const place = end - start >= room ? {x: start + 5} : last + room <= width ? {x: last + 6}
    : first >= room ? {x: first - 6, 'text-anchor': 'end'} : {x: Math.max(start, 0) + 5};
  svg.append(draw('text', {class: 'step-name', y: y + 15, ...place}, label));
};
const drawLane = (svg, lane, y, width) => {
  const pixels = width / (view.to - view.from);
  let waiting = null;
  const flush = () => {
    if (waiting) drawBar(svg, waiting.span, waiting.x, waiting.end - waiting.x, y, waiting.count);
    waiting = null;
  };
  for (const span of lane) {
    if (span[END] < view.from) continue;
    if (span[START] > view.to) break;
    // The minimum width makes the shortest work visible, also at the end of the run.
    const least = isOfStep(span) ? 4 : 1.5;
    const x = Math.min(Math.max((span[START] - view.from) * pixels, -4), width - least);
    const end = Math.max(Math.min((span[END] - view.from) * pixels, width + 4), x + least);
    const isNarrow = end - x < 3;
    if (waiting && isNarrow && x < waiting.end + 1 && waiting.span[STATE] === span[STATE]) {
      waiting.end = Math.max(end, waiting.end);
      waiting.count += 1;
      continue;
    }
    flush();
    if (isNarrow) waiting = {span, x, end, count: 1};
    else drawBar(svg, span, x, end - x, y, 1);
  }
  flush();
  drawName(svg, lane, y, width);
};

// Draws the periods in which the record has left out events: the work in them isn't known.
const drawGaps = (svg, width) => {
  const pixels = width / (view.to - view.from);
  for (const [step, row, rows, from, to, count] of data.gaps) {
    if (to < view.from || from > view.to || !rows) continue;
    const x = Math.max((from - view.from) * pixels, -4), end = Math.min((to - view.from) * pixels, width + 4);
    const y = axisHeight + row * laneHeight + 2, group = draw('g', {class: 'unknown'});
    group.append(draw('title', {}, grouped(count) + ' events of ' + steps[step][2] + ' are not in the record'));
    group.append(draw('rect', {x, y, width: Math.max(end - x, 2), height: rows * laneHeight - 4, rx: 3}));
    if (end - x > 60) {
      group.append(draw('text', {x: (x + end) / 2, y: y + rows * laneHeight / 2 + 2, 'text-anchor': 'middle'},
        end - x > 120 ? 'not in the record' : 'unknown'));
    }
    svg.append(group);
  }
};

let drawing = false;
const redraw = () => {
  if (drawing || !chart) return;
  drawing = true;
  requestAnimationFrame(() => { drawing = false; drawChart(); });
};
const drawChart = () => {
  const width = Math.max(chart.clientWidth, 100), height = lanes.length * laneHeight + axisHeight + 4;
  const svg = draw('svg', {width, height, viewBox: '0 0 ' + width + ' ' + height, 'aria-hidden': 'true'});
  const top = chart.scrollTop, pixels = width / (view.to - view.from), step = tick(width);
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = (time - view.from) * pixels;
    svg.append(draw('line', {class: 'grid', x1: x, x2: x, y1: top + axisHeight, y2: height}));
  }
  const first = Math.max(Math.floor((top - axisHeight) / laneHeight), 0);
  const last = Math.min(Math.ceil((top + chart.clientHeight) / laneHeight) + 1, lanes.length);
  drawGaps(svg, width);
  for (let index = first; index < last; index += 1) {
    drawLane(svg, lanes[index], axisHeight + index * laneHeight, width);
  }
  svg.append(draw('rect', {class: 'axis', x: 0, y: top, width, height: axisHeight - 2}));
  for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
    const x = (time - view.from) * pixels;
    if (x < width - 50) svg.append(draw('text', {class: 'tick', x: x + 4, y: top + 16}, markOf(time, step)));
  }
  chart.replaceChildren(svg);
  find('zoom-range').textContent = view.to - view.from >= longest
    ? 'Shows all ' + data.length : 'Shows ' + offset(view.from) + ' to ' + offset(view.to);
  // A disabled button loses the keyboard's focus, so these have only the attribute for screen readers.
  find('earlier').setAttribute('aria-disabled', view.from <= 0);
  find('later').setAttribute('aria-disabled', view.to >= longest);
};

if (chart) {
  const center = event => view.from + (event.clientX - chart.getBoundingClientRect().left) / chart.clientWidth
    * (view.to - view.from);
  find('zoom-in').addEventListener('click', () => zoom(0.5));
  find('zoom-out').addEventListener('click', () => zoom(2));
  find('zoom-all').addEventListener('click', () => move(0, longest));
  find('earlier').addEventListener('click', () => move(view.from - (view.to - view.from) / 2));
  find('later').addEventListener('click', () => move(view.from + (view.to - view.from) / 2));
  chart.addEventListener('scroll', redraw, {passive: true});
  chart.addEventListener('wheel', event => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, center(event));
  }, {passive: false});
  chart.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const part = (view.to - view.from) / 5;
    const actions = {'+': () => zoom(0.5), '=': () => zoom(0.5), '-': () => zoom(2), 0: () => move(0, longest),
      ArrowLeft: () => move(view.from - part), ArrowRight: () => move(view.from + part)};
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  });
  let held = null;
  chart.addEventListener('pointerdown', event => {
    if (event.button === 0 && event.pointerType === 'mouse') held = {x: event.clientX, from: view.from};
  });
  addEventListener('pointermove', event => {
    if (!held || Math.abs(event.clientX - held.x) < 4) return;
    move(held.from - (event.clientX - held.x) / chart.clientWidth * (view.to - view.from));
  });
  addEventListener('pointerup', () => { held = null; });
  new ResizeObserver(redraw).observe(chart);
}
