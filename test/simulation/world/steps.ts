import { ACT_ROWS, type ActName, type Step } from './acts.ts';

const PATTERN = /^(?<act>[a-z ]+?)(?: (?<pick>\d+))?(?<meanwhile> &)?$/;

/** Reads a history as `stepsText` writes it: `connect; read 9 &; the process is killed`. */
export function stepsFrom(text: string): Step[] {
  return text
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const { act = '', pick = '0', meanwhile } = PATTERN.exec(part)?.groups ?? {};
      if (!(act in ACT_ROWS)) throw new Error(`No act is called "${part}": ${Object.keys(ACT_ROWS).join(', ')}`);
      return { act: act as ActName, pick: Number(pick), isOverlapping: meanwhile !== undefined };
    });
}

/** One line that plays the history again. `&`: the next step begins before this one has ended. */
export function stepsText(steps: readonly Step[]): string {
  return steps
    .map(({ act, pick, isOverlapping }) => `${act}${pick === 0 ? '' : ` ${pick}`}${isOverlapping ? ' &' : ''}`)
    .join('; ');
}
