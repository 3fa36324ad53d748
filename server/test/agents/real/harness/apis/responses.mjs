import { id, json, sse, tail } from './parts.mjs';

/** OpenAI Responses: POST /v1/responses. */
export const responses = {
  parse: (b) => {
    const items = typeof b.input === 'string' ? [{ role: 'user', content: b.input }] : b.input || [];
    const mine = (i) => i.role === 'assistant' || /(^|_)call$|^reasoning$/.test(i.type || '');
    const found = items.filter((i) => i.type === 'tool_search_output').flatMap((i) => i.tools || []);
    const heard = items
      .slice(items.findLastIndex(mine) + 1)
      .filter((i) => i.role === 'user' || /_output$/.test(i.type || ''));
    // Of several consecutive user items (instructions, environment, prompt), only the last is the prompt.
    const lastUser = heard.findLastIndex((i) => i.role === 'user');
    const additional = items.filter((i) => i.type === 'additional_tools').flatMap((i) => i.tools || []);
    return {
      model: b.model,
      stream: b.stream !== false,
      tools: [...(b.tools || []), ...found, ...additional].flatMap((t) =>
        t.type === 'namespace'
          ? (t.tools || []).map((x) => ({ name: x.name, ns: t.name }))
          : [{ name: t.name || t.type }],
      ),
      last: tail(
        heard.filter((i, n) => i.role !== 'user' || n === lastUser),
        () => false,
        () => true,
      ),
      schema: b.text?.format?.schema,
    };
  },
  async reply(res, req, plan) {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    };
    const base = { id: id('resp_'), object: 'response', created_at: Math.floor(Date.now() / 1000), model: req.model };
    const output = [];
    if (plan.text)
      output.push({
        type: 'message',
        id: id('msg_'),
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: plan.text, annotations: [] }],
      });
    for (const c of plan.calls) {
      output.push({
        type: 'function_call',
        id: id('fc_'),
        call_id: id('call_'),
        status: 'completed',
        name: c.name,
        ...(c.ns ? { namespace: c.ns } : {}),
        arguments: JSON.stringify(c.input),
      });
    }
    const done = { ...base, status: 'completed', output, usage, error: null, incomplete_details: null };
    if (!req.stream) return json(res, 200, done);
    const write = sse(res, true);
    let n = 0;
    const send = (type, rest) => write({ type, sequence_number: n++, ...rest });
    send('response.created', { response: { ...base, status: 'in_progress', output: [] } });
    for (const [output_index, item] of output.entries()) {
      const at = { output_index, item_id: item.id };
      if (item.type === 'message') {
        send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', content: [] } });
        send('response.content_part.added', {
          ...at,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        });
        for await (const delta of plan.chunks()) send('response.output_text.delta', { ...at, content_index: 0, delta });
        send('response.output_text.done', { ...at, content_index: 0, text: plan.text });
        send('response.content_part.done', { ...at, content_index: 0, part: item.content[0] });
      } else {
        send('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', arguments: '' } });
        send('response.function_call_arguments.delta', { ...at, delta: item.arguments });
        send('response.function_call_arguments.done', { ...at, arguments: item.arguments });
      }
      send('response.output_item.done', { output_index, item });
    }
    send('response.completed', { response: done });
    res.end();
  },
};
