/** Nobody who reads a log of a start should take a long step for a hanging one. */
const PLAIN_EVERY_MS = 15_000;

const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

/** Says what set-up does, one line a step; on a terminal the line counts the seconds, elsewhere one follows every 15 s. */
export function createProgress({ quiet = false, stream = process.stderr } = {}) {
  const write = (text) => void stream.write(text);
  return {
    /** Runs one step, shows it while it runs, and says how long it took. */
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
    /** A sentence the reader should not miss. */
    note: (sentence) => write(`  ${sentence}\n`),
    /** A sentence that only matters when someone asked for set-up by name. */
    info: (sentence) => quiet || write(`  ${sentence}\n`),
  };
}
