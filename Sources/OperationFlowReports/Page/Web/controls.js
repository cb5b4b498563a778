const text = find('filter-text'), stepFilter = find('filter-step'), level = find('filter-level');
const topic = find('filter-topic');

// Returns a step and all steps within it; in `steps`, a step precedes the steps within it.
const within = id => {
  const found = new Set([id]);
  for (const step of steps) if (found.has(step[1])) found.add(step[0]);
  return found;
};
const filter = () => {
  const sought = text.value.toLowerCase(), least = Number(level.value), kind = topic.value;
  const of = stepFilter.value === '' ? null : within(Number(stepFilter.value));
  if (!sought && !of && !least && !kind) {
    shown = null;
  } else {
    shown = [];
    for (let index = 0; index < events.length; index += 1) {
      const event = events[index];
      if (event[LEVEL] < least || (of && !of.has(event[STEP]))) continue;
      const word = words[event[WORD]];
      if (kind && word[1] !== kind) continue;
      if (sought && !(who(event) + '\n' + word[0] + '\n' + line(event)).toLowerCase().includes(sought)) continue;
      shown.push(index);
    }
  }
  place = chosen < 0 ? -1 : shown ? shown.indexOf(chosen) : chosen;
  box.scrollTop = 0;
  if (place >= 0) reveal(place);
  find('count').textContent = grouped(total()) + ' of ' + grouped(events.length) + ' rows';
  render();
};
const addStep = index => {
  const [id, parent] = steps[index];
  let depth = 0;
  for (let at = byId.get(parent); at !== undefined && depth < 8; at = byId.get(steps[at][1])) depth += 1;
  const option = make('option', {value: id}, '\u00a0\u00a0'.repeat(depth) + cut(steps[index][2], 60));
  stepFilter.append(option);
};
const listed = 1000;
for (let index = 0; index < Math.min(steps.length, listed); index += 1) addStep(index);
const showStep = id => {
  if (byId.get(id) >= listed && !stepFilter.querySelector('option[value="' + id + '"]')) addStep(byId.get(id));
  stepFilter.value = id;
  filter();
  find('log').focus();
  find('log').scrollIntoView();
};
const clearFilter = () => {
  text.value = stepFilter.value = topic.value = '';
  level.value = '0';
  filter();
};
let typing = 0;
text.addEventListener('input', () => { clearTimeout(typing); typing = setTimeout(filter, 120); });
for (const element of [stepFilter, level, topic]) element.addEventListener('change', filter);
text.form.addEventListener('submit', event => { event.preventDefault(); filter(); });
find('filter-none').addEventListener('click', clearFilter);

// The Tab key moves the focus to one of several elements, and the arrow keys move it to the others.
const rove = (elements, act) => elements.forEach((element, index) => {
  element.setAttribute('tabindex', index ? -1 : 0);
  element.addEventListener('keydown', event => {
    const moves = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1};
    if (event.key === 'Enter' || event.key === ' ') act(element);
    else if (event.key in moves) {
      const next = elements[index + moves[event.key]];
      if (next) {
        element.setAttribute('tabindex', -1);
        next.setAttribute('tabindex', 0);
        next.focus();
      }
    } else return;
    event.preventDefault();
  });
});
const boxes = [...document.querySelectorAll('.diagram [data-step]')];
for (const element of boxes) {
  element.setAttribute('role', 'button');
  element.addEventListener('click', () => showStep(Number(element.dataset.step)));
}
rove(boxes, element => showStep(Number(element.dataset.step)));
for (const link of document.querySelectorAll('a[data-event]')) {
  link.addEventListener('click', () => { clearFilter(); choose(Number(link.dataset.event), false); });
}

const theme = find('theme'), themes = ['automatic', 'light', 'dark'];
theme.hidden = false;
theme.addEventListener('click', () => {
  const next = themes[(themes.indexOf(root.dataset.theme || 'automatic') + 1) % 3];
  root.dataset.theme = next;
  theme.textContent = 'Theme: ' + next;
});

for (const wide of document.querySelectorAll('.diagram-box')) {
  wide.scrollLeft = (wide.scrollWidth - wide.clientWidth) / 2;
}
filter();
redraw();
