import type { Session } from '@agent-console/shared/models/session';
import { Link } from '@tanstack/react-router';
import { useOperationQuery } from '../../api/operations.ts';
import { firstLine } from '../../ui/first-line.ts';
import { UntrustedLine } from '../../ui/UntrustedText.tsx';
import { InspectorSection, Property, PropertyList } from '../sessions/inspector/properties.tsx';
import { StateLabel } from './StateIcon.tsx';

/** The run to which a session belongs; nothing if the session is not an agent of a run. */
export function SessionRun({ session: { id, orchestrationId } }: { session: Session }) {
  const { data: run } = useOperationQuery(
    'orchestrations.get',
    { orchestrationId: orchestrationId ?? '' },
    { enabled: orchestrationId !== null },
  );
  if (orchestrationId === null) return null;
  const agent = run?.agents.find(({ sessionId }) => sessionId === id);
  return (
    <InspectorSection title="Run">
      <PropertyList>
        <Property name="Objective">
          <Link className="block text-accent hover:underline" params={{ runId: orchestrationId }} to="/runs/$runId">
            <UntrustedLine text={run === undefined ? orchestrationId.slice(0, 8) : firstLine(run.objective)} />
          </Link>
        </Property>
        {agent === undefined ? null : (
          <>
            <Property name="Agent">
              <UntrustedLine text={agent.agentId} />
            </Property>
            <Property name="State">
              <StateLabel state={agent.state} />
            </Property>
          </>
        )}
      </PropertyList>
    </InspectorSection>
  );
}
