/** Beyond this many comparisons the middle of two texts counts as replaced. */
const MAX_CELLS = 16_000_000;
const CONTEXT = 3;

/** The lines that differ, with three lines around them: `- ` removed, `+ ` added, `  ` the same. Empty without any. */
export function lineDifference(before: string, after: string): string {
  if (before === after) return '';
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = compare(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (lines: string[]): string[] => lines.map((line) => `  ${line}`);
  return shorten([...same(a.slice(0, start)), ...middle, ...same(end === 0 ? [] : a.slice(-end))]).join('\n');
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** By the longest common subsequence. */
function compare(a: string[], b: string[]): string[] {
  if (a.length * b.length > MAX_CELLS) return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${a[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${b[j]}`);
      j += 1;
    }
  }
  return lines;
}

function shorten(lines: string[]): string[] {
  const isNear = (index: number): boolean =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some((line) => !line.startsWith('  '));
  const shown: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1) !== '…') shown.push('…');
  }
  return shown;
}
