const data = JSON.parse(document.getElementById('data').textContent);
const {words, states, steps, events, names, spans} = data;
const [NUMBER, TIME, WORD, LEVEL, NAME, STEP, ITEM, ATTEMPT, TEXT, NEW, OLD] = Array(11).keys();
const byId = new Map(steps.map((step, index) => [step[0], index]));
const root = document.documentElement;
const find = id => document.getElementById(id);
root.classList.add('js');

// Invisible characters, and marks that change the direction of writing, are replaced by their numbers.
const hidden = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const show = text => text.replace(hidden, c => '\\u{' + c.codePointAt(0).toString(16).toUpperCase() + '}');
const cut = (text, limit) => text.length > limit ? text.slice(0, limit) + '…' : text;
// Items are counted from 1, as in summaries; their indices are from 0.
const itemNumber = index => '#' + (index + 1);
const grouped = count => String(count).replace(/\B(?=(\d{3})+$)/g, ',');

// Returns an element for a text; of a long text, it shows a few lines until the reader opens it.
const clamp = text => {
  const lines = text.split('\n', 4), short = cut(lines.join('\n'), 200);
  if (text.length <= 220 && lines.join('\n').length === text.length) return make('bdi', {}, text);
  return make('details', {class: 'clamp'},
    make('summary', {}, make('bdi', {}, short.endsWith('…') ? short : short + '…')), make('bdi', {}, text));
};
const make = (tag, attributes, ...children) => {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  for (const child of children) element.append(typeof child === 'string' ? show(child) : child);
  return element;
};
const draw = (tag, attributes, text) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = show(text);
  return element;
};

// The unit of times after the start depends on the length of the run; in a run of hours, times have colons.
const scale = data.end < 1e3 ? [1, ' µs', 0] : data.end < 1e6 ? [1e3, ' ms', 3] : [1e6, ' s', 3];
const clock = (time, digits) => {
  const parts = [Math.floor(time / 3.6e9), Math.floor(time / 6e7) % 60, (time % 6e7 / 1e6).toFixed(digits)];
  return parts.map((part, index) => index && Number(part) < 10 ? '0' + part : part).join(':');
};
const offset = (time, digits = scale[2]) => {
  const rounded = Math.max(time, 0);
  if (data.end >= 3.6e9) return '+' + clock(Math.round(rounded / 1e3) * 1e3, digits);
  return '+' + (rounded / scale[0]).toFixed(digits) + scale[1];
};
// A moment in the reader's own time zone.
const moment = date => date.toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'long'});
const path = id => {
  const parts = [];
  let length = 0;
  for (let index = byId.get(id); index !== undefined && length < 400; index = byId.get(steps[index][1])) {
    parts.unshift(steps[index][2]);
    length += steps[index][2].length + 3;
  }
  return parts.join(' › ');
};
// A write to the run's bucket has the name of the step that wrote.
const isOfRun = event => event[ITEM] < 0 && names[event[NAME]] === 'DataBucket';
const who = event => {
  const step = isOfRun(event) ? steps[byId.get(event[STEP])] : undefined;
  if (isOfRun(event)) return step ? step[2] : data.flow;
  return names[event[NAME]] + (event[ITEM] >= 0 ? ' ' + itemNumber(event[ITEM]) : '');
};
const line = event => {
  const next = event[NEW];
  if (next === undefined) return event[TEXT];
  if (Array.isArray(next)) return event[TEXT] || grouped(next.length) + (next.length === 1 ? ' value' : ' values');
  const was = event[OLD] === null ? '' : ' (was ' + event[OLD] + ')';
  return event[TEXT] + (next === null ? '' : ' = ' + next) + was;
};
