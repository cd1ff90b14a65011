// Completes keys and values from the JSON Schema.
/** Returns a source of completions for this schema. */
export function completions(schema) {
  const resolve = (node) => {
    while (node?.$ref) node = node.$ref.split('/').slice(1).reduce((at, key) => at?.[key], schema);
    return node;
  };
  // All forms that a value can have.
  const forms = (node) => {
    node = resolve(node);
    if (!node) return [];
    const more = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])].flatMap(forms);
    return [node, ...more];
  };
  const below = (nodes, key) => nodes.flatMap((node) => {
    const found = [];
    if (key === null) found.push(...[node.items ?? []].flat());
    else if (node.properties?.[key]) found.push(node.properties[key]);
    else if (typeof node.additionalProperties === 'object') found.push(node.additionalProperties);
    return found.flatMap(forms);
  });
  const about = (node) => forms(node).find((form) => form.description)?.description;

  return (context) => {
    const word = context.matchBefore(/[\w.-]*/);
    if (word.from === word.to && !context.explicit) return null;
    const { path, value } = place(context.state.sliceDoc(0, word.from));
    const nodes = path.reduce(below, forms(schema));
    if (value) {
      const values = nodes.flatMap((node) => [...(node.enum ?? []), ...(node.const === undefined ? [] : [node.const]),
        ...(node.type === 'boolean' ? [true, false] : [])]);
      return { from: word.from, options: [...new Set(values.map(String))].map((label) => ({ label, type: 'constant' })) };
    }
    const keys = nodes.flatMap((node) => Object.entries(node.properties ?? {}));
    const seen = new Set();
    const options = keys.filter(([key]) => !seen.has(key) && seen.add(key))
      .map(([key, node]) => ({ label: key, type: 'property', apply: `${key}: `, info: about(node) }));
    return { from: word.from, options };
  };
}

/**
 * Returns the keys that lead to the end of a text, with null for an element of a list, and whether a value belongs there.
 * The parser's tree does not help: an unfinished line has no place in it yet.
 */
export function place(text) {
  const blocks = []; // keys above the line, with their indentation
  const flows = []; // open braces and brackets: the key before each, and the text since the last comma
  let value = false;
  for (const line of text.split('\n')) {
    let rest = line;
    if (flows.length === 0) {
      const [, indent, dashes, key, after] = line.match(/^( *)((?:- +)*)(?:([^\s:#{[][^:#{[]*):(?= |$))?(.*)$/);
      if (after.trim().startsWith('#') && !key) continue;
      while (blocks.length > 0 && blocks.at(-1).indent >= indent.length) blocks.pop();
      if (dashes) blocks.push({ indent: indent.length, key: null });
      if (key) blocks.push({ indent: indent.length + dashes.length, key });
      value = Boolean(key) && after !== '';
      rest = after;
    }
    let quote = '';
    for (let at = 0; at < rest.length; at++) {
      const c = rest[at];
      const flow = flows.at(-1);
      if (quote) quote = c === quote ? '' : quote;
      else if (c === '"' || c === "'") quote = c;
      else if (c === '#' && (at === 0 || rest[at - 1] === ' ')) break;
      else if (c === '{' || c === '[') flows.push({ key: flow && entry(flow.own), list: c === '[', own: '' });
      else if (c === '}' || c === ']') flows.pop();
      else if (flow) flow.own = c === ',' ? '' : flow.own + c;
    }
  }
  const flow = flows.at(-1);
  const own = flow && entry(flow.own);
  const keys = blocks.map(({ key }) => key);
  for (const { key, list } of flows) keys.push(...(key ? [key] : []), ...(list ? [null] : []));
  if (own) keys.push(own);
  return { path: keys, value: flow ? Boolean(own) || flow.list : value };
}

/** Returns the key of an entry that has a colon. */
function entry(text) {
  return text.includes(':') ? text.split(':')[0].trim() : undefined;
}
