import { id, json, sse, tail } from './parts.mjs';

/** Gemini: POST /v1beta/models/M:streamGenerateContent and :generateContent. */
export const gemini = {
  parse: (b, url) => ({
    model: /models\/([^:]+):/.exec(url.pathname)?.[1],
    stream: /:stream/.test(url.pathname),
    tools: (b.tools || []).flatMap((t) => t.functionDeclarations || []).map((t) => ({ name: t.name })),
    last: tail(
      (b.contents || []).map((c) => ({ role: c.role, content: c.parts })),
      (m) => m.role === 'model',
      () => true,
    ),
    schema:
      b.generationConfig?.responseMimeType === 'application/json'
        ? b.generationConfig.responseJsonSchema || b.generationConfig.responseSchema || { type: 'object' }
        : undefined,
  }),
  async reply(res, req, plan) {
    const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
    const wrap = (parts, finishReason) => ({
      candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) }],
      usageMetadata,
      modelVersion: req.model,
      responseId: id('r'),
    });
    const calls = plan.calls.map((c) => ({ functionCall: { name: c.name, args: c.input } }));
    if (!req.stream) return json(res, 200, wrap([...(plan.text ? [{ text: plan.text }] : []), ...calls], 'STOP'));
    const send = sse(res, false);
    for await (const text of plan.chunks()) send(wrap([{ text }]));
    send(wrap(calls.length ? calls : [{ text: '' }], 'STOP'));
    res.end();
  },
};
