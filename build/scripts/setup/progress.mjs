/** Milliseconds between lines in a log, so that a long step does not look as if it hangs. */
const PLAIN_EVERY_MS = 15_000;

const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

/**
 * Reports set-up with one line per step. On a terminal the line counts the seconds; elsewhere a line follows every 15
 * s.
 */
export function createProgress({ quiet = false, stream = process.stderr } = {}) {
  const write = (text) => void stream.write(text);
  return {
    /** Runs one step, shows it while it runs, and reports how long it took. */
    async step(title, work) {
      const startedAt = performance.now();
      const live = Boolean(stream.isTTY);
      const timer = live
        ? setInterval(() => write(`\r  ${title} … ${seconds(startedAt)}`), 250)
        : setInterval(() => write(`  ${title}: ${seconds(startedAt)} so far …\n`), PLAIN_EVERY_MS);
      write(`  ${title} …${live ? '' : '\n'}`);
      try {
        const value = await work();
        write(live ? `\r  ${title}: done in ${seconds(startedAt)}\n` : `  ${title}: done in ${seconds(startedAt)}\n`);
        return value;
      } catch (error) {
        write(live ? `\r  ${title}: failed after ${seconds(startedAt)}\n` : `  ${title}: failed\n`);
        throw error;
      } finally {
        clearInterval(timer);
      }
    },
    /** A sentence that is always shown. */
    note: (sentence) => write(`  ${sentence}\n`),
    /** A sentence that is shown only when set-up was started by itself. */
    info: (sentence) => quiet || write(`  ${sentence}\n`),
  };
}
