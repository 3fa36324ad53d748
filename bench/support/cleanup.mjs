/** Pending cleanup functions, newest last. */
const undo = new Set();

/**
 * Registers a cleanup function, which also runs on failure and on Ctrl-C.
 * @param {() => unknown} end may be asynchronous; called once
 * @returns {() => Promise<void>} runs the cleanup now
 */
export function onEnd(end) {
  undo.add(end);
  return async () => {
    if (undo.delete(end)) await end();
  };
}

let ending;

/**
 * Runs all pending cleanups, newest first. A failure is printed and does not stop the others. A second call waits for
 * the first.
 */
export function endAll() {
  ending ??= (async () => {
    for (const end of [...undo].reverse()) {
      undo.delete(end);
      try {
        await end();
      } catch (error) {
        console.error(`cleanup failed: ${error}`);
      }
    }
  })();
  return ending;
}

/** On Ctrl-C and SIGTERM, runs all cleanups and exits with the status for the signal. */
export function endOnSignals() {
  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.on(signal, () => {
      if (ending !== undefined) return;
      process.exitCode = status;
      console.error('\ncleaning up ...');
      endAll().finally(() => process.exit(status));
    });
  }
}
