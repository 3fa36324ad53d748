import type { OutputOf } from '@agent-console/shared/operations/table';
import { operationKey, useOperationMutation } from '../../../api/operations.ts';
import { queryClient } from '../../../api/query-client.ts';
import { escapeHidden } from '../../../ui/hidden-characters.ts';
import { Meter } from '../../../ui/Meter.tsx';
import { InlineSelect } from '../../../ui/Select.tsx';
import { failureToast } from '../../../ui/toasts.ts';
import { UntrustedLine } from '../../../ui/UntrustedText.tsx';
import { contextUsage, inOrder } from './options.ts';

type SessionOptions = OutputOf<'sessions.options'>;
const NOTHING: SessionOptions = { options: [], commands: [], usage: null };

/**
 * Mode, model and other choices for the session's agent, and the used part of its context. The bar's height is
 * constant, so that nothing moves when the agent reports these values.
 */
export function OptionsBar({ sessionId, offered }: { sessionId: string; offered: SessionOptions | undefined }) {
  const { options, usage } = offered ?? NOTHING;
  return (
    <div className="-mt-1 mb-1 flex h-7 items-center gap-1 max-md:h-10">
      <div className="flex min-w-0 flex-1 items-center gap-1 overflow-x-auto [scrollbar-width:none]">
        {inOrder(options).map((option) => (
          <Choice key={option.id} option={option} sessionId={sessionId} />
        ))}
      </div>
      {usage === null ? null : <ContextMeter usage={usage} />}
    </div>
  );
}

function Choice({ sessionId, option }: { sessionId: string; option: SessionOptions['options'][number] }) {
  const { id, name, category, current, values } = option;
  // Modes and models are shown without the name of the option, because people recognize them.
  const prefix = category === 'mode' || category === 'model' ? '' : `${name}: `;
  const show = (changed: SessionOptions) =>
    queryClient.setQueryData(operationKey('sessions.options', { sessionId }), changed);
  const set = useOperationMutation('sessions.setOption', { onSuccess: show, onLateSuccess: show });
  if (values.length < 2) {
    const only = values.find((value) => value.id === current)?.name ?? current;
    return (
      <span className="max-w-60 shrink-0 px-1.5 text-sm text-quiet" title={escapeHidden(name)}>
        <UntrustedLine text={`${prefix}${only}`} />
      </span>
    );
  }
  return (
    <InlineSelect
      busy={set.isPending}
      label={name}
      prefix={prefix}
      onChange={(value) =>
        set.mutate({ sessionId, optionId: id, value }, { onError: failureToast(`Could not change ${name}`) })
      }
      options={values.map((value) => ({ value: value.id, label: value.name, note: value.description ?? '' }))}
      value={set.isPending ? set.variables.value : current}
    />
  );
}

function ContextMeter({ usage }: { usage: NonNullable<SessionOptions['usage']> }) {
  const { percent, title, high } = contextUsage(usage);
  return (
    <span
      className={`flex shrink-0 items-center gap-1.5 px-1.5 text-sm ${high ? 'text-needs' : 'text-quiet'}`}
      title={title}
    >
      <Meter className="w-12" high={high} label="Context used" max={100} value={percent} />
      <span className="tabular-nums">{percent} %</span>
      <span className="max-md:sr-only">context</span>
    </span>
  );
}
