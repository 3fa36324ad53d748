import type { PermissionMode, Session } from '@agent-console/shared/models/session';
import { useOperationMutation } from '../../../api/operations.ts';
import { Problem } from '../../../ui/Problem.tsx';
import { SelectField } from '../../../ui/Select.tsx';
import { useAgents } from '../../settings/AgentField.tsx';
import { refreshSession } from '../sessions-store.ts';
import { ALL_MODES, APPLIES, modeName, modeOptions } from './permission-modes.ts';
import { InspectorSection } from './properties.tsx';

/** Requested and effective permission mode, and the highest allowed mode, which the API calls `ceiling`. */
export function PermissionSection({ session }: { session: Session }) {
  const { id: sessionId, agentId, permissionConfig, archivedAt } = session;
  const { mode, requestedMode, ceiling, applies } = permissionConfig;
  const { data: agents } = useAgents();
  const update = useOperationMutation('sessions.update', { onSuccess: () => refreshSession(sessionId) });
  const asked = requestedMode ?? mode;
  const agent = agents?.data.find(({ id }) => id === agentId);
  const why = agent?.modes.find(({ requested }) => requested === asked)?.note;
  const when = APPLIES[applies];
  const disabled = archivedAt !== null || update.isPending;
  return (
    <InspectorSection title="Permission">
      <div className="flex flex-col gap-2">
        <div className="grid grid-cols-2 gap-2">
          <SelectField
            hint={asked === mode ? undefined : `In effect: ${modeName(mode)}. ${why ?? ''}`}
            label="Mode"
            disabled={disabled}
            onChange={(value) => update.mutate({ sessionId, permissionMode: value as PermissionMode })}
            options={modeOptions(agent, asked)}
            value={asked}
          />
          <SelectField
            label="Highest allowed mode"
            disabled={disabled}
            onChange={(value) => update.mutate({ sessionId, permissionCeiling: value as PermissionMode })}
            options={ALL_MODES}
            value={ceiling}
          />
        </div>
        {when === null ? null : <p className="text-sm text-needs">{when}</p>}
        <p className="text-sm text-quiet">
          The agent cannot choose a mode above the highest allowed mode. If you choose such a mode, it becomes the
          highest allowed mode.
        </p>
        <Problem error={update.error} />
      </div>
    </InspectorSection>
  );
}
