/*
 * Script of the page that shows the OpenAPI document of this server: every operation with its fields, an example, the
 * curl command of a call, and a form that makes the call. The page always contains a line for each operation, so that
 * the browser's search finds it. The content of an operation is created when the operation is opened.
 */

/** Keys in localStorage of the token and the theme, which the dashboard stores. */
const TOKEN_KEY = 'agent-console.token';
const THEME_KEY = 'agent-console.theme';
/** Maximum depth at which the page lists nested fields. */
const DEPTH_MAX = 4;

function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key in node && typeof value !== 'string') node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}
const code = (text) => element('code', {}, text);

function followTheme() {
  try {
    document.documentElement.dataset.theme = JSON.parse(localStorage.getItem(THEME_KEY) ?? '"system"');
  } catch {
    // If the stored theme cannot be read, the theme of the system is used.
  }
}

const who = document.querySelector('#who');
function showLogin() {
  if (localStorage.getItem(TOKEN_KEY) !== null) {
    who.replaceChildren('Calls on this page are real. They use the token of your dashboard login.');
    return;
  }
  who.replaceChildren(
    'Not logged in. Run ',
    code('npx agent-console open'),
    ' and open the link that it prints, then return to this page.',
  );
}
// Fires when another tab logs in or out, or chooses a theme.
window.addEventListener('storage', () => {
  showLogin();
  followTheme();
});
followTheme();
showLogin();

const answer = await fetch('/api/openapi.json');
const spec = await answer.json();
const resolve = (schema) => {
  const name = schema?.$ref?.split('/').at(-1);
  if (name === undefined) return schema ?? {};
  const { $ref: _, ...own } = schema;
  return { ...(spec.components.schemas[name] ?? spec.components.responses[name]), ...own };
};

const METHODS = ['get', 'post', 'patch', 'delete'];
const operations = Object.entries(spec.paths).flatMap(([path, methods]) =>
  METHODS.filter((method) => method in methods).map((method) => ({ method, path, ...methods[method] })),
);

/** Renders the part of Markdown that descriptions use: paragraphs, bold text, code and links. */
function prose(text) {
  return text.split('\n\n').map((paragraph) => {
    const parts = paragraph.replaceAll('\n', ' ').split(/(\*\*[^*]+\*\*|`[^`]+`|\[[^\]]+\]\([^)]+\))/);
    return element(
      'p',
      {},
      ...parts.map((part) => {
        if (part.startsWith('**')) return element('strong', {}, part.slice(2, -2));
        if (part.startsWith('`')) return code(part.slice(1, -1));
        const link = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part);
        return link === null ? part : element('a', { href: link[2] }, link[1]);
      }),
    );
  });
}

/** Returns a short name of a schema's type. */
function typeOf(schema) {
  const { type, enum: values, anyOf, oneOf, items, const: only } = resolve(schema);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  const options = anyOf ?? oneOf;
  if (options !== undefined) return [...new Set(options.map(typeOf))].join(' | ');
  if (type === 'array') return `${typeOf(items)}[]`;
  return Array.isArray(type) ? type.join(' | ') : (type ?? 'any');
}

/**
 * Returns the object schema in a schema: the schema itself, that of its items, or the first object among its
 * alternatives.
 */
function objectIn(schema) {
  const { properties, items, anyOf, oneOf } = resolve(schema);
  if (properties !== undefined) return resolve(schema);
  if (items !== undefined) return objectIn(items);
  const inside = (anyOf ?? oneOf ?? []).map(objectIn).filter((each) => each !== undefined);
  return inside[0];
}

/** Lists the fields of an object. Each field that contains an object is followed by the fields of that object. */
function fieldsOf(schema, prefix = '', depth = 0) {
  const object = objectIn(schema);
  if (object === undefined || depth >= DEPTH_MAX) return [];
  return Object.entries(object.properties ?? {}).flatMap(([name, field]) => {
    const { description } = resolve(field);
    const isRequired = object.required?.includes(name) === true;
    const type = objectIn(field) === undefined ? typeOf(field) : typeOf(field).includes('[]') ? 'object[]' : 'object';
    return [
      element(
        'dt',
        {},
        element('span', { class: 'name' }, prefix + name),
        isRequired ? '' : element('span', { class: 'quiet' }, ' optional'),
      ),
      element('dd', {}, element('span', { class: 'quiet' }, type), description === undefined ? '' : ` ${description}`),
      ...fieldsOf(field, `${prefix}${name}.`, depth + 1),
    ];
  });
}

const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

function curlOf({ method, url, body }) {
  const parts = ['curl -s'];
  if (method !== 'get') parts.push(`-X ${method.toUpperCase()}`);
  parts.push(/[?&]/.test(url) ? quoted(location.origin + url) : location.origin + url);
  if (body !== undefined) parts.push(`\\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(body)}`);
  return parts.join(' ');
}

/**
 * Creates a scrollable text with a button that copies it. Returns the block, and the element that contains the text.
 */
function codeBlock(label, text) {
  const pre = element('pre', { tabindex: '0', role: 'region', 'aria-label': label }, text);
  const copy = element('button', { type: 'button' }, 'Copy');
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent);
    copy.textContent = 'Copied';
    setTimeout(() => {
      copy.textContent = 'Copy';
    }, 1_500);
  });
  return [element('div', { class: 'code' }, pre, copy), pre];
}

/** Creates the content of an operation: fields, example, curl command, and the form that makes the call. */
function contentOf(operation) {
  const { method, path, operationId, description, parameters = [], requestBody, responses } = operation;
  const media = requestBody?.content['application/json'];
  const inputs = parameters.map((parameter) => {
    const id = `${operationId}.${parameter.in}.${parameter.name}`;
    const initial =
      parameter.example === undefined || (parameter.in !== 'path' && !parameter.required)
        ? ''
        : String(parameter.example);
    const input = element('input', {
      id,
      value: initial,
      placeholder: parameter.example === undefined ? '' : `e.g. ${parameter.example}`,
      autocomplete: 'off',
    });
    const label = element(
      'label',
      { for: id },
      element('span', { class: 'name' }, parameter.name),
      parameter.required ? '' : element('span', { class: 'quiet' }, ' optional'),
      element(
        'span',
        { class: 'quiet' },
        ` ${parameter.in === 'path' ? '' : `${parameter.in}, `}${typeOf(parameter.schema)}`,
      ),
    );
    return {
      parameter,
      input,
      row: element(
        'div',
        { class: 'parameter' },
        label,
        input,
        element('span', { class: 'quiet' }, parameter.description ?? ''),
      ),
    };
  });
  const body =
    media === undefined
      ? undefined
      : element('textarea', { 'aria-label': `Body of ${operationId}`, spellcheck: 'false' });
  if (body !== undefined) body.value = JSON.stringify(media.example ?? {}, null, 2);
  const [curlBlock, curl] = codeBlock(`curl command of ${operationId}`, '');
  const request = () => {
    const filled = inputs.filter(({ input }) => input.value !== '');
    const named = (where) =>
      filled
        .filter(({ parameter }) => parameter.in === where)
        .map(({ parameter, input }) => [parameter.name, input.value]);
    const inPath = Object.fromEntries(named('path'));
    const query = new URLSearchParams(named('query'));
    const target = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath[name] ?? ''));
    return {
      method,
      url: query.size === 0 ? target : `${target}?${query}`,
      headers: Object.fromEntries(named('header')),
      body: body?.value,
    };
  };
  const update = () => {
    const { headers, ...rest } = request();
    const more = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
    curl.textContent = curlOf(rest) + more.join('');
  };
  for (const field of [...inputs.map(({ input }) => input), ...(body === undefined ? [] : [body])])
    field.addEventListener('input', update);
  update();

  const status = element('span', { role: 'status', class: 'quiet' });
  const [resultBlock, result] = codeBlock(`Response of ${operationId}`, '');
  resultBlock.hidden = true;
  const send = element('button', { type: 'button', class: 'send' }, 'Send');
  send.addEventListener('click', async () => {
    const { url, headers, body: text } = request();
    const token = localStorage.getItem(TOKEN_KEY);
    const started = performance.now();
    status.textContent = 'Sending…';
    try {
      const response = await fetch(url, {
        method: method.toUpperCase(),
        headers: {
          ...headers,
          ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
          ...(text === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(text === undefined ? {} : { body: text }),
      });
      status.textContent = `${response.status} in ${Math.round(performance.now() - started)} ms`;
      const json = await response.json().catch(() => undefined);
      result.textContent = json === undefined ? '(not JSON)' : JSON.stringify(json, null, 2);
    } catch (error) {
      status.textContent = 'Failed';
      result.textContent = String(error);
    }
    resultBlock.hidden = false;
  });
  const isStream = Object.values(responses).some(
    (response) => 'text/event-stream' in (resolve(response).content ?? {}),
  );

  const [okStatus, ok] = Object.entries(responses).find(([name]) => name.startsWith('2')) ?? [];
  const answerMedia = ok?.content?.['application/json'];
  const [exampleBlock] = codeBlock(
    `Example response of ${operationId}`,
    JSON.stringify(answerMedia?.example ?? {}, null, 2),
  );
  return element(
    'div',
    { class: 'body' },
    element('div', { class: 'wide' }, ...prose(description ?? '')),
    element(
      'div',
      {},
      ...(inputs.length === 0 ? [] : [element('h4', {}, 'Parameters'), ...inputs.map(({ row }) => row)]),
      ...(media === undefined ? [] : [element('h4', {}, 'Body'), body, element('dl', {}, ...fieldsOf(media.schema))]),
      ...(inputs.length === 0 && media === undefined ? [element('p', { class: 'quiet' }, 'No parameters')] : []),
    ),
    element(
      'div',
      {},
      element('h4', {}, 'curl'),
      curlBlock,
      ...(isStream ? [] : [element('div', { class: 'row' }, send, status), resultBlock]),
      ...(answerMedia === undefined
        ? []
        : [
            element('h4', {}, `Response ${okStatus}`),
            exampleBlock,
            element(
              'details',
              {},
              element('summary', {}, 'Fields of the response'),
              element('dl', {}, ...fieldsOf(answerMedia.schema)),
            ),
          ]),
    ),
  );
}

function blockOf(operation) {
  const { method, path, summary, operationId } = operation;
  const block = element(
    'details',
    { class: 'operation', id: operationId },
    element(
      'summary',
      {},
      element(
        'h3',
        {},
        element('span', { class: `method ${method}` }, method.toUpperCase()),
        element('span', { class: 'path' }, path),
        element('span', { class: 'summary' }, summary),
      ),
    ),
  );
  block.addEventListener('toggle', () => {
    if (block.open && block.childElementCount === 1) block.append(contentOf(operation));
  });
  return block;
}

document.querySelector('#about').append(...prose(spec.info.description));
const sections = spec.tags
  .map(({ name, description }) => ({ name, description, own: operations.filter(({ tags }) => tags.includes(name)) }))
  .filter(({ own }) => own.length > 0)
  .map(({ name, description, own }) => {
    const blocks = own.map((operation) => ({ operation, block: blockOf(operation) }));
    const section = element(
      'section',
      { id: name, 'aria-label': name },
      element('h2', {}, name),
      element('p', {}, description),
      ...blocks.map(({ block }) => block),
    );
    const link = element('a', { href: `#${name}` }, name, element('span', {}, String(own.length)));
    return { section, link, blocks };
  });
document.querySelector('#operations').append(...sections.map(({ section }) => section));
document.querySelector('#nouns').append(...sections.map(({ link }) => link));

const filter = document.querySelector('#filter');
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { section, link, blocks } of sections) {
    let shown = 0;
    for (const { operation, block } of blocks) {
      const text = `${operation.operationId} ${operation.method} ${operation.path} ${operation.summary}`.toLowerCase();
      block.hidden = !words.every((word) => text.includes(word));
      if (!block.hidden) shown += 1;
    }
    section.hidden = shown === 0;
    link.hidden = shown === 0;
  }
});

/** Opens the operation that the page's address names: `#<operation>` or `#/<noun>/<operation>`. */
function openFromAddress() {
  const name = decodeURIComponent(location.hash.slice(1)).split('/').at(-1) ?? '';
  const target = document.getElementById(name);
  if (target === null) return;
  if (target instanceof HTMLDetailsElement) target.open = true;
  target.scrollIntoView();
  target.querySelector('summary')?.focus({ preventScroll: true });
}
window.addEventListener('hashchange', openFromAddress);
openFromAddress();
