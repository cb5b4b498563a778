const writes = new Set(['added', 'replaced', 'removed']);
let known = {index: -1, number: 0, isPartial: false, values: new Map()};

// Returns the values after an event: the values at the run's beginning, changed by all writes up to the event.
const bucket = index => {
  if (index < known.index) known = {index: -1, number: 0, isPartial: false, values: new Map()};
  for (let next = known.index + 1; next <= index; next += 1) {
    const event = events[next], word = words[event[WORD]][2];
    // Events that were left out may have written anything.
    if (word === 'leftOut' || event[NUMBER] - known.number > 1) {
      known.isPartial = true;
      known.values = new Map();
    }
    known.number = event[NUMBER];
    if (word === 'runStarted') {
      known.isPartial = false;
      known.values = new Map(event[NEW]);
    }
    if (!writes.has(word) || !isOfRun(event)) continue;
    if (word === 'removed') known.values.delete(event[TEXT]);
    else known.values.set(event[TEXT], event[NEW]);
  }
  known.index = Math.max(index, -1);
  return known.values;
};

const describe = index => {
  const panel = find('detail'), event = events[index], word = words[event[WORD]];
  const facts = make('dl', {class: 'facts'});
  const fact = (term, text) => {
    facts.append(make('div', {}, make('dt', {}, term), make('dd', {}, make('bdi', {}, text))));
  };
  fact('Event', word[0] + ', number ' + event[NUMBER]);
  fact('Time', offset(event[TIME]));
  fact('Date', moment(new Date((data.start + event[TIME]) / 1e3)));
  fact('About', who(event));
  if (event[STEP] >= 0) fact('Step', path(event[STEP]));
  if (event[ATTEMPT] > 1) fact('Attempt', String(event[ATTEMPT]));
  panel.replaceChildren(make('h3', {}, 'Chosen event'), facts);
  const text = line(event);
  if (text) panel.append(make('pre', {tabindex: '0', 'aria-label': 'Text of the event'}, text));
  if (event[STEP] >= 0) {
    const only = make('button', {type: 'button'}, 'Only this step');
    only.addEventListener('click', () => showStep(event[STEP]));
    panel.append(only);
  }
  panel.append(make('h3', {}, 'Data after this event'));
  const values = [...bucket(index)].sort((left, right) => left[0] < right[0] ? -1 : 1);
  if (known.isPartial) {
    panel.append(make('p', {class: 'hint'}, 'The record has left out events before this one, so there may be other values.'));
  }
  if (!values.length) {
    if (!known.isPartial) panel.append(make('p', {class: 'empty'}, 'The data bucket is empty.'));
    return;
  }
  const rows = make('tbody', {});
  const isWrite = writes.has(word[2]) && isOfRun(event);
  const add = ([name, value]) => {
    const isNew = isWrite && name === event[TEXT];
    const mark = isNew ? [make('span', {class: 'changed'}, 'written here')] : [];
    rows.append(make('tr', isNew ? {class: 'new'} : {},
      make('th', {scope: 'row'}, make('bdi', {}, name), ...mark), make('td', {}, clamp(value))));
  };
  const limit = 300;
  values.slice(0, limit).forEach(add);
  const head = make('thead', {}, make('tr', {}, make('th', {scope: 'col'}, 'Key'),
    make('th', {scope: 'col'}, 'Value')));
  panel.append(make('table', {class: 'values', id: 'bucket', 'aria-label': 'Data bucket'}, head, rows));
  if (values.length > limit) {
    const all = make('button', {type: 'button'}, 'Show ' + grouped(values.length - limit) + ' more values');
    all.addEventListener('click', () => { all.remove(); values.slice(limit).forEach(add); });
    panel.append(all);
  }
};
