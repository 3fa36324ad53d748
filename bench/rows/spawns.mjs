import { atMost, never } from '../support/aims.mjs';
import { startConsole } from '../support/product.mjs';

const TOGETHER = 50;

/**
 * Row 13 of the results: child sessions that a person starts all at once, compared with starting them one after
 * another.
 */
export async function measureSpawns({ product, quick }) {
  const together = [];
  const inTurn = [];
  let wrong = 0;
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    const console = await startConsole(product);
    const parent = await console.session('parent');
    const spawn = (prompt) => console.api.call('POST', `/sessions/${parent.id}/spawn`, { prompt });
    const all = (work) => Array.from({ length: TOGETHER }, (_, n) => work(`Do part ${n} of round ${round}`));
    let since = performance.now();
    const answers = await Promise.allSettled(all(spawn));
    together.push(performance.now() - since);
    const ids = new Set(answers.map(({ value }) => value?.sessionId).filter((id) => id !== undefined));
    wrong += TOGETHER - ids.size;
    since = performance.now();
    for (const prompt of all((text) => text)) await spawn(`${prompt} again`);
    inTurn.push(performance.now() - since);
    await console.close();
  }
  const name = `${TOGETHER} subsessions started at once`;
  return [
    { name, unit: 'ms', ours: together, limit: inTurn, against: 'one after the other', aim: atMost(1.25) },
    { name: `${name}: failed, or with a duplicate id`, unit: '', ours: [wrong], aim: never(0) },
  ];
}
