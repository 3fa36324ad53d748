import type { ConsoleEvent } from '@agent-console/shared/models/event';
import { toast } from '../../ui/toasts.ts';

/** Shows a toast when the server has crashed or the runner has stopped. */
export function notifyOfCrash({ type, seq }: ConsoleEvent): void {
  if (type === 'server.crashed') {
    toast({
      id: 'server',
      kind: 'plain',
      title: 'The server crashed and was restarted',
      text: 'Agents and terminals kept running. Run `npx agent-console doctor` for details.',
    });
  } else if (type === 'runner.lost') {
    toast({
      id: `runner-${seq}`,
      kind: 'failed',
      title: 'The runner stopped',
      text: 'All agents and terminals ended. Conversations are saved: resume the sessions you need.',
    });
  }
}
