const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;

/** Says what set-up does, one line a step; on a terminal the line counts the seconds. */
export function createProgress({ quiet = false, stream = process.stderr } = {}) {
  const write = (text) => void stream.write(text);
  return {
    /** Runs one step, shows it while it runs, and says how long it took. */
    async step(title, work) {
      const startedAt = performance.now();
      const live = stream.isTTY && setInterval(() => write(`\r  ${title} … ${seconds(startedAt)}`), 250);
      write(`  ${title} …${live ? '' : '\n'}`);
      try {
        const value = await work();
        write(live ? `\r  ${title}: done in ${seconds(startedAt)}\n` : `  ${title}: done in ${seconds(startedAt)}\n`);
        return value;
      } catch (error) {
        write(live ? `\r  ${title}: failed after ${seconds(startedAt)}\n` : `  ${title}: failed\n`);
        throw error;
      } finally {
        if (live) clearInterval(live);
      }
    },
    /** A sentence the reader should not miss. */
    note: (sentence) => write(`  ${sentence}\n`),
    /** A sentence that only matters when someone asked for set-up by name. */
    info: (sentence) => quiet || write(`  ${sentence}\n`),
  };
}
