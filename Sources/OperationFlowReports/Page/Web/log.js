const box = find('rows'), table = find('events'), body = table.tBodies[0];
const narrow = matchMedia('(max-width: 640px)');
const spacer = () => make('tbody', {'aria-hidden': 'true'}, make('tr', {}, make('td', {colspan: 4})));
const above = spacer(), below = spacer();
const tallest = 12e6;
let shown = null, chosen = -1, place = -1, printing = 0, opened = [];
body.before(above);
body.after(below);
root.classList.add('virtual');
if (events.length < 12) root.classList.add('short');
table.setAttribute('role', 'grid');
table.setAttribute('tabindex', '0');
for (const element of table.tHead.querySelectorAll('tr')) element.setAttribute('role', 'row');
for (const element of table.tHead.querySelectorAll('th')) element.setAttribute('role', 'columnheader');

const total = () => shown ? shown.length : events.length;
const at = position => shown ? shown[position] : position;
const rowHeight = () => narrow.matches ? 54 : 28;
const ratio = () => Math.max(1, total() * rowHeight() / tallest);
const tall = (element, height) => { element.rows[0].cells[0].style.height = Math.max(height, 0) + 'px'; };

const row = (position) => {
  const index = at(position), event = events[index], word = words[event[WORD]];
  const attempt = event[ATTEMPT] > 1 ? ' (attempt ' + event[ATTEMPT] + ')' : '';
  const element = make('tr', {role: 'row', id: 'event-' + index, 'aria-rowindex': position + 2,
    'aria-selected': index === chosen, class: 'l-' + event[LEVEL]},
    make('td', {role: 'gridcell', class: 'time'}, offset(event[TIME])),
    make('td', {role: 'gridcell', class: 'who'}, make('bdi', {}, cut(who(event) + attempt, 200))),
    make('td', {role: 'gridcell', class: 'word w-' + word[2]}, word[0]),
    make('td', {role: 'gridcell', class: 'what'}, make('bdi', {}, cut(line(event), 300))));
  element.addEventListener('click', () => choose(index));
  return element;
};

const render = () => {
  const height = rowHeight(), count = total();
  const top = box.scrollTop, virtual = top * ratio();
  let first = Math.max(Math.floor(virtual / height) - 10, 0);
  let last = Math.min(Math.ceil((virtual + box.clientHeight) / height) + 10, count);
  if (printing) {
    // Paper has the rows around the chosen one, which is that of the failure at first.
    first = Math.max(Math.min(place - printing / 2, count - printing), 0);
    last = Math.min(first + printing, count);
  }
  const rows = document.createDocumentFragment();
  for (let position = first; position < last; position += 1) rows.append(row(position));
  body.replaceChildren(rows);
  const before = printing ? 0 : Math.max(top - (virtual - first * height), 0);
  tall(above, before);
  tall(below, printing ? 0 : Math.min(count * height, tallest) - before - (last - first) * height);
  table.setAttribute('aria-rowcount', count + 1);
  const active = find('event-' + chosen);
  if (active) table.setAttribute('aria-activedescendant', active.id);
  else table.removeAttribute('aria-activedescendant');
};

let waiting = false;
const later = () => {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; render(); });
};
box.addEventListener('scroll', later, {passive: true});
narrow.addEventListener('change', later);
addEventListener('resize', later);
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('.clamp:not([open])')];
  for (const text of opened) text.open = true;
  printing = 500;
  find('printed').hidden = total() <= printing;
  render();
});
addEventListener('afterprint', () => {
  for (const text of opened) text.open = false;
  printing = 0;
  find('printed').hidden = true;
  render();
});

const reveal = position => {
  const height = rowHeight(), head = narrow.matches ? 0 : 30, y = position * height / ratio();
  if (y < box.scrollTop) box.scrollTop = y;
  else if (y + height + head > box.scrollTop + box.clientHeight) {
    box.scrollTop = y + height + head - box.clientHeight;
  }
};
const choose = (index, focuses = true) => {
  chosen = index;
  place = shown ? shown.indexOf(index) : index;
  if (place >= 0) reveal(place);
  render();
  describe(index);
  if (focuses) table.focus({preventScroll: true});
};

table.addEventListener('keydown', event => {
  const page = Math.max(Math.floor(box.clientHeight / rowHeight()) - 2, 1), end = total() - 1;
  const moves = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity};
  if (!(event.key in moves) || event.ctrlKey || event.metaKey || event.altKey || end < 0) return;
  event.preventDefault();
  const next = place < 0 ? (event.key === 'End' ? end : 0) : place + moves[event.key];
  choose(at(Math.min(Math.max(next, 0), end)));
});
