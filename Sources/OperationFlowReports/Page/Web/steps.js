// The panel of a step: its options, the values of its inputs when it began, and the values that it wrote.
const [, , STEP_NAME, STEP_KIND, , STEP_READS, STEP_WRITES, STEP_OPTIONS] = Array(8).keys();
const optionTexts = {undo: 'can be undone', condition: 'has a condition', retry: 'may be retried',
  timeout: 'has a time limit', wait: 'only waits'};

const valueTable = (caption, values) => {
  const rows = make('tbody', {});
  for (const [name, value] of values.slice(0, 100)) {
    rows.append(make('tr', {}, make('th', {scope: 'row'}, make('bdi', {}, name)), make('td', {}, value)));
  }
  if (values.length > 100) {
    rows.append(make('tr', {}, make('td', {colspan: 2}, grouped(values.length - 100) + ' more values')));
  }
  return make('table', {class: 'values'}, make('caption', {}, caption), rows);
};
const panelOf = id => {
  const step = steps[byId.get(id)], own = [];
  for (let index = 0; index < events.length; index += 1) if (events[index][STEP] === id) own.push(index);
  const facts = make('dl', {class: 'facts'});
  const fact = (term, text) => {
    facts.append(make('div', {}, make('dt', {}, term), make('dd', {}, make('bdi', {}, text))));
  };
  fact('Step', path(id));
  fact('Kind', step[STEP_KIND]);
  if (step[STEP_OPTIONS].length) fact('Options', step[STEP_OPTIONS].map(name => optionTexts[name] || name).join(', '));
  fact('Events', grouped(own.length));
  const panel = make('div', {class: 'panel'}, facts);
  if (step[STEP_READS].length) {
    const before = own.length ? bucket(own[0]) : new Map();
    panel.append(valueTable('Values that it declares to read, as they were when it began', step[STEP_READS].map(name =>
      [name, before.has(name) ? clamp(before.get(name)) : make('em', {}, 'not recorded')])));
  }
  const written = own.filter(index => writes.has(words[events[index][WORD]][2]) && isOfRun(events[index]));
  if (written.length) {
    panel.append(valueTable('Values that it wrote', written.map(index => [events[index][TEXT],
      events[index][NEW] === null ? make('em', {}, 'removed') : clamp(events[index][NEW])])));
  } else if (step[STEP_WRITES].length) {
    panel.append(make('p', {class: 'hint'}, 'It declares to write ' + step[STEP_WRITES].join(', ')
      + '; the record has no write of it.'));
  }
  const only = make('button', {type: 'button'}, 'Show its events in the log');
  only.addEventListener('click', () => showStep(id));
  panel.append(only);
  return panel;
};
for (const row of document.querySelectorAll('.steps tbody tr')) {
  const cell = row.cells[0], name = cell.firstElementChild, id = Number(row.dataset.step);
  const button = make('button', {type: 'button', class: 'name', 'aria-expanded': 'false'});
  button.append(name);
  cell.append(button);
  let open = null;
  row.addEventListener('click', () => {
    if (open) {
      open.remove();
      open = null;
    } else {
      open = make('tr', {class: 'opened'}, make('td', {colspan: 7}, panelOf(id)));
      row.after(open);
    }
    button.setAttribute('aria-expanded', Boolean(open));
  });
}

// Shows times in the reader's time zone.
for (const time of document.querySelectorAll('time')) {
  time.title = time.textContent;
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, {dateStyle: 'medium', timeStyle: 'long'});
}

// A reader usually looks first for the event that reported the failure.
if (data.failure >= 0) choose(data.failure, false);
