const [SPAN_STEP, SPAN_ITEM, SPAN_ATTEMPT, START, END, STATE, ROW, CRITICAL, UNDO, EVENT, LENGTH] = Array(11).keys();
const chart = find('chart'), longest = Math.max(data.end, 1), least = Math.min(20, longest);
const lanes = Array.from({length: data.rowCount}, () => []);
for (const span of spans) if (lanes[span[ROW]]) lanes[span[ROW]].push(span);
for (const lane of lanes) lane.sort((left, right) => left[START] - right[START]);
const view = {from: 0, to: longest};

const zoom = (factor, center = (view.from + view.to) / 2) => {
  const length = Math.min(Math.max((view.to - view.from) * factor, least), longest);
  const part = (center - view.from) / (view.to - view.from);
  move(center - length * part, length);
};
const move = (from, length = view.to - view.from) => {
  view.from = Math.min(Math.max(from, 0), longest - length);
  view.to = view.from + length;
  redraw();
};
// The names of each group's items; if they differ, items are shown with their names after their numbers.
const itemNames = new Map();
for (const span of spans) {
  if (span[SPAN_ITEM] < 0 || span[EVENT] < 0) continue;
  const found = itemNames.get(span[SPAN_STEP]) || new Set();
  itemNames.set(span[SPAN_STEP], found.add(events[span[EVENT]][NAME]));
}
const itemOf = span => {
  const number = itemNumber(span[SPAN_ITEM]);
  const isNamed = span[EVENT] >= 0 && itemNames.get(span[SPAN_STEP])?.size > 1;
  return isNamed ? number + ' ' + cut(names[events[span[EVENT]][NAME]], 60) : number;
};
const labelOf = span => (span[UNDO] ? '↶ ' : '') + (span[SPAN_ITEM] >= 0 ? itemOf(span) : steps[span[SPAN_STEP]][2])
  + (span[SPAN_ATTEMPT] > 1 ? ' ↻' + span[SPAN_ATTEMPT] : '');
const titleOf = span => {
  const item = span[SPAN_ITEM] >= 0 ? ' ' + itemOf(span) : '';
  return (span[UNDO] ? 'Undo of ' : '') + steps[span[SPAN_STEP]][2] + item + ', ' + states[span[STATE]][1]
    + (span[SPAN_ATTEMPT] > 1 ? ', attempt ' + span[SPAN_ATTEMPT] : '') + '\n' + offset(span[START]) + ', '
    + span[LENGTH] + (span[CRITICAL] ? '\non the critical path' : '');
};

// Returns the distance of the axis's marks: 1, 2 or 5 times a power of ten, or a divisor of a minute, hour or day.
const tick = width => {
  const ideal = (view.to - view.from) / Math.max(width / 110, 1);
  const long = [15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400].map(count => count * 1e6);
  if (longest >= 3.6e9 && ideal > 5e6) return long.find(step => step >= ideal) || Math.ceil(ideal / 86.4e9) * 86.4e9;
  const power = 10 ** Math.floor(Math.log10(Math.max(ideal, 1)));
  return [1, 2, 5, 10].map(count => count * power).find(step => step >= ideal);
};
// Returns the label of a mark, in the unit of the run, with enough digits to distinguish it from the next mark.
const markOf = (time, step) => {
  const [size, unit] = longest >= 3.6e9 ? [1e6, ''] : scale;
  const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return unit ? (time / size).toFixed(digits) + unit : clock(time, digits);
};
