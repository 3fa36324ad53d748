import { pluralize } from '@agent-console/shared/pluralize';
import type { ComponentProps, ReactNode } from 'react';
import { DelayedFallback } from '../ui/DelayedFallback.tsx';
import type { LiveTerminal } from './live-terminal.ts';
import type { TerminalState } from './terminal-state.ts';

/** CSS classes of a bar below a terminal. Its height is constant, so that a message never resizes the terminal. */
export const BAR =
  'flex h-7 max-md:h-10 shrink-0 items-center gap-2 border-t border-line bg-sunken px-2 text-sm text-quiet';

const ACTION =
  'shrink-0 rounded px-1.5 leading-5 max-md:h-10 max-md:px-2.5 text-accent hover:bg-hover disabled:text-quiet aria-pressed:bg-selected aria-pressed:text-text';

export function BarButton(props: ComponentProps<'button'>) {
  return <button className={ACTION} type="button" {...props} />;
}

export function FindButton({ pressed, onClick }: { pressed: boolean; onClick: () => void }) {
  return (
    <BarButton aria-label="Find in terminal" aria-pressed={pressed} onClick={onClick} title="Find (Ctrl+Shift+F or /)">
      Find
    </BarButton>
  );
}

export function StatusBar(props: {
  terminal: LiveTerminal;
  state: TerminalState;
  phone: boolean;
  finding: boolean;
  onFind: () => void;
}) {
  const { terminal, state, phone, finding } = props;
  const { connection, driving, size, ended, below } = state;
  const isOpen = connection.kind === 'open' && size !== undefined;
  // Also true during an attempt to reconnect, so that the button "Reconnect now" does not disappear.
  const isCut = connection.kind === 'waiting' || (connection.kind === 'connecting' && size !== undefined);
  return (
    <div className={BAR}>
      <p className="min-w-0 flex-1 truncate" role="status" title={state.problem}>
        <ConnectionStatus state={state} />
      </p>
      {isCut && ended === undefined && <BarButton onClick={() => terminal.retryNow()}>Reconnect now</BarButton>}
      {below > 0 && (
        <BarButton
          onClick={() => terminal.scrollToEnd()}
          title={`${pluralize(below, 'more line')} below the visible part`}
        >
          ↓ Scroll to end
        </BarButton>
      )}
      {phone && ended === undefined && (
        <BarButton aria-pressed={state.typing} onClick={() => terminal.setTyping(!state.typing)}>
          Allow typing
        </BarButton>
      )}
      {isOpen && !driving && ended === undefined && (
        <BarButton onClick={() => terminal.takeDriver()} title="Resize the terminal to this window, for all viewers">
          Fit to window
        </BarButton>
      )}
      <FindButton onClick={props.onFind} pressed={finding} />
      <span className="shrink-0 text-right tabular-nums" title="Columns × rows">
        {size === undefined ? '' : `${size.cols} × ${size.rows}`}
      </span>
    </div>
  );
}

function ConnectionStatus({ state }: { state: TerminalState }): ReactNode {
  const { connection, ended, problem, isBufferFull, buffered, driving, size } = state;
  if (ended !== undefined) {
    const { exitCode, signal } = ended;
    // The colour of this text is neutral, because neither a signal nor an exit code proves a failure: a signal ends a
    // stopped agent, and a shell exits with the status of its last command.
    const how =
      signal !== null
        ? `– Ended by ${signal}`
        : exitCode === null
          ? '– Ended with an unknown exit code'
          : `– Ended with exit code ${exitCode}`;
    return <span>{problem === undefined ? how : `${how} · ${problem}`}</span>;
  }
  if (connection.kind === 'ended') return <span className="text-failed">⊘ {connection.reason}</span>;
  if (isBufferFull)
    return (
      <span className="text-failed">
        {`⊘ ${pluralize(buffered, 'character is', 'characters are')} waiting to be sent. New input was dropped.`}
      </span>
    );
  if (connection.kind === 'waiting' || (connection.kind === 'connecting' && size !== undefined)) {
    const waiting =
      buffered === 0
        ? '▲ Disconnected · input will be sent after reconnecting'
        : `▲ Disconnected · ${pluralize(buffered, 'character')} will be sent after reconnecting`;
    return <span className="text-needs">{waiting}</span>;
  }
  if (problem !== undefined) return <span className="text-failed">⊘ {problem}</span>;
  if (connection.kind === 'connecting' || size === undefined) return <DelayedFallback>Connecting…</DelayedFallback>;
  return driving ? '' : "This window does not set the terminal's size";
}
