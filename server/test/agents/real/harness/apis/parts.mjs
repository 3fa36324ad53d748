export const id = (prefix) => prefix + Math.random().toString(36).slice(2, 12) + Date.now().toString(36);
const textOf = (c) => {
  if (c == null) return '';
  if (typeof c === 'string') return c;
  if (Array.isArray(c)) return c.map(textOf).filter(Boolean).join('\n');
  if (c.type === 'tool_reference') return `tool_reference ${c.tool_name}`;
  if (c.text !== undefined) return String(c.text);
  if (c.content !== undefined) return textOf(c.content);
  if (c.output !== undefined) {
    // Some versions of Codex send the result of an MCP tool as JSON text.
    const parts = typeof c.output === 'string' && /^([\s\S]*?Output:\n)?(\[\{"type":"text"[\s\S]*\])$/.exec(c.output);
    try {
      return parts ? (parts[1] || '') + textOf(JSON.parse(parts[2])) : textOf(c.output);
    } catch {
      return c.output;
    }
  }
  if (c.functionResponse)
    return textOf(c.functionResponse.response?.output) || JSON.stringify(c.functionResponse.response);
  return '';
};
// Returns the newest input of the model: everything after its last answer.
export const tail = (items, isModel, isInput) => {
  const last = items.findLastIndex(isModel);
  return items
    .slice(last + 1)
    .filter(isInput)
    .map(textOf)
    .join('\n')
    .replace(/<(system-reminder|environment_context|user_instructions|session_context)>[\s\S]*?<\/\1>/g, '')
    .trim();
};
// Returns a minimal value that a JSON schema accepts, for requests outside the conversation that require structured
// output.
export const sample = (s = {}) => {
  if (s.enum) return s.enum[0];
  const type = String(Array.isArray(s.type) ? s.type[0] : s.type || (s.properties ? 'object' : 'string')).toLowerCase();
  if (type === 'object') return Object.fromEntries(Object.entries(s.properties || {}).map(([k, v]) => [k, sample(v)]));
  return { array: [], number: 1, integer: 1, boolean: false, null: null }[type] ?? 'scripted';
};

export const sse = (res, named) => {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  return (data) => res.write(`${named ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
};
export const json = (res, status, body) => {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(body));
};
