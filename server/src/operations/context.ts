import type { EngineContext } from '../engine/context.ts';
import type { Views } from './views.ts';

/** Everything an operation may ask for; each takes the part it needs. */
export interface OperationContext extends EngineContext {
  views: Views;
}
