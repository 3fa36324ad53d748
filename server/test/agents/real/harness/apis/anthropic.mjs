import { id, json, sse, tail } from './parts.mjs';

/** Anthropic Messages: POST /v1/messages. */
export const anthropic = {
  parse: (b) => {
    const all = b.messages || [];
    const mine = (m) => m.role === 'assistant';
    const read = (list) => tail(list, mine, (m) => m.role === 'user');
    // If the model's last answer called ToolSearch, `last` also contains the input before that call.
    const at = all.findLastIndex(mine);
    const searched = at >= 0 && [all[at].content].flat().some((c) => c.name === 'ToolSearch');
    return {
      model: b.model,
      stream: !!b.stream,
      searched,
      tools: (b.tools || []).map((t) => ({ name: t.name })),
      last: searched ? `${read(all.slice(0, at))}\n${read(all)}` : read(all),
      schema: b.output_config?.format?.schema || b.output_format?.schema,
    };
  },
  async reply(res, req, plan) {
    const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 20 };
    const blocks = [
      ...(plan.text ? [{ type: 'text', text: plan.text }] : []),
      ...plan.calls.map((c) => ({ type: 'tool_use', id: id('toolu_'), name: c.name, input: c.input })),
    ];
    const stop_reason = plan.calls.length ? 'tool_use' : 'end_turn';
    const message = {
      id: id('msg_'),
      type: 'message',
      role: 'assistant',
      model: req.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    if (!req.stream) return json(res, 200, { ...message, content: blocks, stop_reason });
    const send = sse(res, true);
    send({ type: 'message_start', message });
    for (const [index, b] of blocks.entries()) {
      if (b.type === 'text') {
        send({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
        for await (const text of plan.chunks())
          send({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } });
      } else {
        send({ type: 'content_block_start', index, content_block: { ...b, input: {} } });
        send({
          type: 'content_block_delta',
          index,
          delta: { type: 'input_json_delta', partial_json: JSON.stringify(b.input) },
        });
      }
      send({ type: 'content_block_stop', index });
    }
    send({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage });
    send({ type: 'message_stop' });
    res.end();
  },
};
