import type { McpServer, McpTransport } from '@agent-console/shared/models/mcp-server';
import { useState } from 'react';
import { useOperationMutation } from '../../api/operations.ts';
import { FormDialog } from '../../ui/Dialog.tsx';
import { TextAreaField, TextField } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';
import { FormProblem } from '../../ui/Problem.tsx';
import { SelectField } from '../../ui/Select.tsx';
import { useForm } from '../../ui/use-form.ts';
import { parsePairs } from './pairs.ts';

const TRANSPORTS = [
  { value: 'stdio', label: 'Command', note: 'the agent starts the MCP server with a command' },
  { value: 'http', label: 'URL', note: 'streamable HTTP' },
  { value: 'sse', label: 'URL', note: 'SSE' },
];

/**
 * Adds or edits an MCP server. The stored values of its environment variables or headers are never shown. They stay
 * stored until they are entered again or removed.
 */
export default function McpServerDialog({ server, onClose }: { server: McpServer | undefined; onClose(): void }) {
  const [transport, setTransport] = useState<McpTransport>(server?.transport ?? 'stdio');
  const create = useOperationMutation('mcpServers.create', { onSuccess: onClose });
  const update = useOperationMutation('mcpServers.update', { onSuccess: onClose });
  const { error, isPending } = server === undefined ? create : update;
  const stored = {
    name: server?.name ?? '',
    command: server === undefined ? '' : [server.command ?? '', ...server.args].join('\n'),
    url: server?.url ?? '',
    env: '',
    headers: '',
  };
  const { values, names, field } = useForm(stored, error);
  const known = server === undefined ? [] : transport === 'stdio' ? server.env : server.headers;
  const valuesHint = `One per line, NAME=value. Stored privately and never shown again.${
    known.length === 0
      ? ''
      : ` Values stored for: ${known.join(', ')}. To remove a stored value, enter its name without a value.`
  }`;
  const send = () => {
    const [command = '', ...args] = values.command.split('\n').filter((line) => line !== '');
    const env = parsePairs(values.env);
    const headers = parsePairs(values.headers);
    const fields =
      transport === 'stdio'
        ? { command, args, ...(env === undefined ? {} : { env }) }
        : { url: values.url.trim(), ...(headers === undefined ? {} : { headers }) };
    const name = values.name.trim();
    if (server !== undefined) update.mutate({ mcpServerId: server.id, name, ...fields });
    else create.mutate({ name, transport, ...withoutRemovals(fields) });
  };
  return (
    <FormDialog
      busy={isPending}
      onClose={onClose}
      onSubmit={send}
      problem={<FormProblem error={error} fields={names} />}
      submit={server === undefined ? 'Add server' : 'Save'}
      title={server === undefined ? 'Add MCP server' : `Edit ${isolateText(server.name)}`}
    >
      <TextField
        {...field('name', 'Enter a name.')}
        autoFocus={server === undefined}
        hint="Agents prefix the names of the server's tools with this name."
        label="Name"
        mono
        placeholder="tickets"
      />
      {server === undefined ? (
        <SelectField
          label="Transport"
          onChange={(value) => setTransport(value as McpTransport)}
          options={TRANSPORTS}
          value={transport}
        />
      ) : null}
      {transport === 'stdio' ? (
        <>
          <TextAreaField
            {...field('command', 'Enter a command.')}
            hint="The executable and its arguments, one per line. Do not put secrets here."
            label="Command"
            mono
            placeholder={'npx\n-y\nmy-mcp-server'}
            rows={3}
          />
          <TextAreaField {...field('env')} hint={valuesHint} label="Variables" mono optional placeholder="API_KEY=…" />
        </>
      ) : (
        <>
          <TextField
            {...field('url', 'Enter a URL.')}
            inputMode="url"
            label="URL"
            mono
            placeholder="https://mcp.example.com/mcp"
          />
          <TextAreaField
            {...field('headers')}
            hint={valuesHint}
            label="Headers"
            mono
            optional
            placeholder="Authorization=Bearer …"
          />
        </>
      )}
    </FormDialog>
  );
}

/**
 * Omits environment variables and headers without a value. A name without a value removes a stored value, and a new
 * server has no stored values.
 */
function withoutRemovals<T extends { env?: Pairs; headers?: Pairs }>({ env, headers, ...fields }: T) {
  const set = (pairs: Pairs) =>
    Object.fromEntries(Object.entries(pairs).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
  return {
    ...fields,
    ...(env === undefined ? {} : { env: set(env) }),
    ...(headers === undefined ? {} : { headers: set(headers) }),
  };
}

type Pairs = Record<string, string | null>;
