/** Milliseconds between lines in a log, so that a long step does not look as if it hangs. */
const PLAIN_EVERY_MS = 15_000;
const LIVE_EVERY_MS = 250;
/** Goes to the start of the line and clears it. */
const CLEAR_LINE = '\r\x1b[K';

const seconds = (startedAt) => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
const state = ({ startedAt, detail }) => [detail, seconds(startedAt)].filter(Boolean).join(', ');

/**
 * Reports set-up: one line per step that ended. On a terminal the last line counts the seconds of the steps that are
 * running; elsewhere a line follows every 15 s.
 */
export function createProgress({ quiet = false, stream = process.stderr } = {}) {
  const isLive = Boolean(stream.isTTY);
  /** When each running step began, and how far it is, by its title. */
  const running = new Map();
  let timer;

  const write = (text) => void stream.write(text);
  const drawRunning = () => {
    const steps = [...running].map(([title, step]) => `${title} … ${state(step)}`).join(', ');
    // A longer line would wrap, and only its last part could be cleared.
    write(CLEAR_LINE + `  ${steps}`.slice(0, (stream.columns || 80) - 1));
  };
  const writeLine = (sentence) => {
    write(`${isLive ? CLEAR_LINE : ''}  ${sentence}\n`);
    if (isLive && running.size > 0) drawRunning();
  };
  const start = (title) => {
    running.set(title, { startedAt: performance.now(), detail: '' });
    if (!isLive) return writeLine(`${title} …`);
    drawRunning();
    timer ??= setInterval(drawRunning, LIVE_EVERY_MS);
  };
  const end = (title, outcome) => {
    running.delete(title);
    if (running.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
    writeLine(`${title}: ${outcome}`);
  };

  return {
    /**
     * Runs one step, shows it while it runs, and reports how long it took. Steps can run at the same time. `work` is given
     * a function that takes how far it is, as a text.
     */
    async step(title, work) {
      start(title);
      const step = running.get(title);
      const { startedAt } = step;
      const reminder = isLive
        ? undefined
        : setInterval(() => writeLine(`${title}: ${state(step)} so far …`), PLAIN_EVERY_MS);
      try {
        const value = await work((detail) => (step.detail = detail));
        end(title, `done in ${seconds(startedAt)}`);
        return value;
      } catch (error) {
        end(title, isLive ? `failed after ${seconds(startedAt)}` : 'failed');
        throw error;
      } finally {
        clearInterval(reminder);
      }
    },
    /** A sentence that is always shown. */
    note: (sentence) => writeLine(sentence),
    /** A sentence that is shown only when set-up was started by itself. */
    info: (sentence) => quiet || writeLine(sentence),
  };
}
