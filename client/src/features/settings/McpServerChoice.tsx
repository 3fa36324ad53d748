import { shortId } from '@agent-console/shared/ids';
import { PAGE_MAX } from '@agent-console/shared/limits/answers';
import { useOperationQuery } from '../../api/operations.ts';
import { Checkbox } from '../../ui/Field.tsx';
import { isolateText } from '../../ui/hidden-characters.ts';

/**
 * Checkboxes of the MCP servers that a session can use. Renders nothing if there are none. A chosen server that no
 * longer exists stays in the list, so that it can be deselected.
 */
export function McpServerChoice({ value, onChange }: { value: readonly string[]; onChange(ids: string[]): void }) {
  const existing = useOperationQuery('mcpServers.list', { limit: PAGE_MAX }).data?.data;
  if (existing === undefined) return null;
  const removed = value.filter((id) => existing.every((server) => server.id !== id));
  const servers = [...existing, ...removed.map((id) => ({ id, name: `${shortId(id)} (not available)` }))];
  if (servers.length === 0) return null;
  return (
    <fieldset className="flex flex-col gap-1.5 md:col-span-2">
      <legend className="mb-1 font-medium">MCP servers</legend>
      {servers.map(({ id, name }) => (
        <Checkbox
          checked={value.includes(id)}
          key={id}
          label={isolateText(name)}
          onChange={(checked) => onChange(checked ? [...value, id] : value.filter((each) => each !== id))}
        />
      ))}
    </fieldset>
  );
}
