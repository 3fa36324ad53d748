import { ROUTES } from 'virtual:operation-routes';
import type { OperationName, OutputOf, RequestOf } from '@agent-console/shared/operations/table';
import { callRoute } from './call-route.ts';
import type { CallOptions } from './http.ts';

/**
 * Calls an operation over REST. `input` is the input that the operation's contract defines. If `signal` aborts before
 * the response arrives, rejects with the error of the abort.
 * @throws ConsoleError the error of the response, `INTERNAL` if a failed response contains no error, or `BUSY` when the
 * console is unreachable.
 */
export async function call<N extends OperationName>(
  name: N,
  input: RequestOf<N>,
  options: CallOptions = {},
): Promise<OutputOf<N>> {
  return (await callRoute(ROUTES[name], input, options)) as OutputOf<N>;
}
