import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import type { McpServer } from '@agent-console/shared/models/mcp-server';
import { lazy, Suspense, useState } from 'react';
import { useOperationMutation, useOperationQuery } from '../../api/operations.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { Skeleton } from '../../ui/Skeleton.tsx';
import { UntrustedLine, UntrustedText } from '../../ui/UntrustedText.tsx';

const McpServerDialog = lazy(() => import('./McpServerDialog.tsx'));

/** MCP servers that sessions can use. */
export function McpServerList() {
  const { data, error, isPending } = useOperationQuery('mcpServers.list', { limit: PAGE_MAX });
  const [edited, setEdited] = useState<McpServer | 'new'>();
  return (
    <>
      <div className="flex justify-end">
        <Button onClick={() => setEdited('new')}>Add MCP server</Button>
      </div>
      <Problem error={error} />
      {isPending ? <Skeleton /> : null}
      {data?.total === 0 ? <p className="text-quiet">No MCP servers yet</p> : null}
      <ul aria-label="MCP servers" className="divide-y divide-line rounded-lg border border-line empty:hidden">
        {data?.data.map((server) => (
          <ServerRow key={server.id} onEdit={() => setEdited(server)} server={server} />
        ))}
      </ul>
      <Suspense>
        {edited === undefined ? null : (
          <McpServerDialog onClose={() => setEdited(undefined)} server={edited === 'new' ? undefined : edited} />
        )}
      </Suspense>
    </>
  );
}

function ServerRow({ server, onEdit }: { server: McpServer; onEdit(): void }) {
  const { id, name, transport, command, args, url, env, headers } = server;
  const remove = useOperationMutation('mcpServers.remove');
  const secrets = [...env, ...headers];
  return (
    <li className="flex flex-col gap-2 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex items-baseline gap-2">
            <UntrustedLine className="font-medium" text={name} />
            <span className="shrink-0 text-sm text-quiet">{transport === 'stdio' ? 'command' : transport}</span>
          </p>
          <UntrustedText
            className="block break-words font-mono text-sm text-quiet"
            text={url ?? [command, ...args].join(' ')}
          />
          {secrets.length === 0 ? null : (
            <UntrustedLine className="text-sm text-quiet" text={`Values stored for: ${secrets.join(', ')}`} />
          )}
        </div>
        <div className="flex gap-1.5">
          <Button onClick={onEdit}>Edit</Button>
          <ConfirmButton
            busy={remove.isPending}
            confirm="Remove server"
            label="Remove…"
            onConfirm={() => remove.mutate({ mcpServerId: id })}
          />
        </div>
      </div>
      <Problem error={remove.error} />
    </li>
  );
}
