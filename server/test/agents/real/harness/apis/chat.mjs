import { id, json, sse, tail } from './parts.mjs';

/** OpenAI chat completions: POST /v1/chat/completions. */
export const chat = {
  parse: (b) => ({
    model: b.model,
    stream: !!b.stream,
    tools: (b.tools || []).map((t) => ({ name: t.function?.name || t.name })),
    last: tail(
      b.messages || [],
      (m) => m.role === 'assistant',
      (m) => m.role === 'user' || m.role === 'tool',
    ),
    schema: b.response_format?.json_schema?.schema,
  }),
  async reply(res, req, plan) {
    const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
    const base = { id: id('chatcmpl-'), created: Math.floor(Date.now() / 1000), model: req.model };
    const tool_calls = plan.calls.map((c, index) => ({
      index,
      id: id('call_'),
      type: 'function',
      function: { name: c.name, arguments: JSON.stringify(c.input) },
    }));
    const finish_reason = tool_calls.length ? 'tool_calls' : 'stop';
    if (!req.stream) {
      const message = { role: 'assistant', content: plan.text || null, ...(tool_calls.length ? { tool_calls } : {}) };
      return json(res, 200, {
        ...base,
        object: 'chat.completion',
        usage,
        choices: [{ index: 0, message, finish_reason }],
      });
    }
    const write = sse(res, false);
    const send = (delta, finish = null) =>
      write({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
    send({ role: 'assistant', content: '' });
    for await (const content of plan.chunks()) send({ content });
    if (tool_calls.length) send({ tool_calls });
    send({}, finish_reason);
    write({ ...base, object: 'chat.completion.chunk', choices: [], usage });
    res.end('data: [DONE]\n\n');
  },
};
