// A scripted model for real agents: an HTTP server on 127.0.0.1 that implements the APIs of the vendors' models.
import http from 'node:http';
import { anthropic } from './apis/anthropic.mjs';
import { chat } from './apis/chat.mjs';
import { gemini } from './apis/gemini.mjs';
import { json, sample } from './apis/parts.mjs';
import { responses } from './apis/responses.mjs';

const normal = (name) =>
  String(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_');

const route = (path) => {
  if (/\/messages$/.test(path)) return anthropic;
  if (/\/responses$/.test(path)) return responses;
  if (/\/chat\/completions$/.test(path)) return chat;
  if (/:(stream)?generateContent$/i.test(path)) return gemini;
  return null;
};

/**
 * Finds a tool by its name. The name x also finds a tool x of an MCP server srv, which agents offer as mcp__srv__x,
 * mcp_srv_x or srv_x, or as x in a namespace.
 */
function find(tools, name) {
  const wanted = `_${normal(name)}`;
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => normal(`${tool.ns ?? ''}_${tool.name}`).endsWith(wanted))
  );
}

/**
 * Returns a call of ToolSearch, because Claude Code offers MCP tools only after the model has searched for them.
 * Returns null if there is no ToolSearch, or if the model's last answer called it.
 */
function lookUp(request, raw, names) {
  const search = request.tools.find((tool) => tool.name === 'ToolSearch');
  if (search === undefined || request.searched) return null;
  const full = names.map((name) => {
    const pattern = new RegExp(`\\bmcp__[\\w-]+__${name}\\b|\\b${name}\\b(?=[\\s\\\\])`);
    return pattern.exec(raw)?.[0] ?? name;
  });
  return { ...search, input: { query: `select:${full.join(',')}`, max_results: 5 } };
}

/** Replaces {{name}} by the named groups of `when`, in all texts of a value. */
const fill = (value, known) =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' ? each.replace(/\{\{(\w+)\}\}/g, (all, name) => known[name] ?? all) : each,
  );

/** Whether a request is outside the conversation, e.g. for a title, routing or suggestions. */
const isAside = ({ tools, schema, last }) =>
  tools.length === 0 || schema !== undefined || /^\[SUGGESTION MODE/.test(last);

/**
 * Returns the model's answer according to the first step that matches the request. `known` contains the named groups of
 * earlier matches, and `taken` the steps that cannot be used again.
 */
function choose(steps, request, raw, { known, taken }) {
  for (const step of isAside(request) ? steps.filter(({ aside }) => aside) : steps) {
    if (taken.has(step)) continue;
    const match = new RegExp(step.when, 'is').exec(request.last);
    if (match === null || (step.not !== undefined && new RegExp(step.not, 'is').test(request.last))) continue;
    const asked = [step.tool ?? []].flat();
    const absent = asked.filter((tool) => find(request.tools, tool.name) === undefined).map((tool) => tool.name);
    const search = absent.length > 0 ? lookUp(request, raw, absent) : null;
    if (search !== null) return { text: '', calls: [search], hold: null };
    if (absent.length > 0) continue;
    if (step.fail !== undefined) return { text: '', calls: [], hold: null, fail: step.fail };
    const calls = asked.map((tool) => ({ ...find(request.tools, tool.name), input: tool.input ?? {} }));
    if (step.once === true) taken.add(step);
    if (step.keep === true) Object.assign(known, match.groups);
    return { ...fill({ text: step.text ?? '', calls }, { ...known, ...match.groups }), hold: step.hold ?? null };
  }
  const text = request.schema === undefined ? 'Done.' : JSON.stringify(sample(request.schema));
  return { text, calls: [], hold: null };
}

function parsed(raw) {
  try {
    return JSON.parse(raw);
  } catch {
    return {};
  }
}

/** Answers requests that do not run the model: token counts, lists of models, connection checks. */
function answerOther(request, response, path) {
  if (/count_tokens$/.test(path)) return json(response, 200, { input_tokens: 100 });
  if (/:countTokens$/.test(path)) return json(response, 200, { totalTokens: 100 });
  if (/\/models$/.test(path)) {
    const data = [{ id: 'scripted', object: 'model', type: 'model', display_name: 'Scripted' }];
    return json(response, 200, { object: 'list', data, models: [] });
  }
  if (request.method === 'HEAD' || path === '/') return json(response, 200, {});
  return json(response, 404, { type: 'error', error: { type: 'not_found_error', message: 'not found' } });
}

/** Answers with an error, in a form that all agents understand. */
function refuse(response, { status, message }) {
  // Without this header, some agents would wait longer before each repetition of the request.
  response.setHeader('retry-after-ms', '10');
  json(response, status, { type: 'error', error: { type: 'api_error', code: status, message } });
}

export async function startModelServer(steps) {
  const requests = [];
  const held = new Map();
  const memory = { known: {}, taken: new Set() };
  const gate = (name) => {
    const known = held.get(name);
    if (known !== undefined) return known;
    let open = () => {};
    const opened = new Promise((resolve) => {
      open = resolve;
    });
    held.set(name, { opened, open });
    return held.get(name);
  };

  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    let raw = '';
    // Decodes all chunks together, because a character may be split across two of them.
    request.setEncoding('utf8');
    for await (const part of request) raw += part;
    const api = request.method === 'POST' ? route(url.pathname) : null;
    if (api === null) return answerOther(request, response, url.pathname);
    const asked = api.parse(parsed(raw), url);
    const plan = choose(steps, asked, raw, memory);
    requests.push({
      last: asked.last,
      raw,
      calls: plan.calls.map((call) => call.name),
      tools: asked.tools.map((tool) => tool.name),
      aside: isAside(asked),
    });
    if (plan.fail !== undefined) return refuse(response, plan.fail);
    if (plan.hold !== null) await gate(plan.hold).opened;
    plan.chunks = function* chunks() {
      yield* plan.text.match(/\s*\S+\s*/g) ?? [];
    };
    await api.reply(response, asked, plan);
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    release: (name) => gate(name).open(),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
