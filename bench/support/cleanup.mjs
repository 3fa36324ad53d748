/** What is to be undone, newest last. */
const undo = new Set();

/**
 * Remembers how to end something that was started; it is also ended on failure and on Ctrl-C.
 * @param {() => unknown} end may be asynchronous; called once
 * @returns {() => Promise<void>} ends it now
 */
export function onEnd(end) {
  undo.add(end);
  return async () => {
    if (undo.delete(end)) await end();
  };
}

let ending;

/**
 * Ends everything that is still open, newest first; what fails is told and does not keep the rest alive. A second call
 * waits for the first.
 */
export function endAll() {
  ending ??= (async () => {
    for (const end of [...undo].reverse()) {
      undo.delete(end);
      try {
        await end();
      } catch (error) {
        console.error(`could not be ended: ${error}`);
      }
    }
  })();
  return ending;
}

/** Ends everything on Ctrl-C and SIGTERM, and the process with the status that says so. */
export function endOnSignals() {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.on(signal, () => {
      if (ending !== undefined) return;
      process.exitCode = status;
      console.error('\nending what was started ...');
      endAll().finally(() => process.exit(status));
    });
  }
}
