/** The lines in which two texts differ, without the same lines before and after. `line` counts from 1. */
export function changedLines(before: string, after: string): { line: number; removed: string[]; added: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end += 1;
  return { line: start + 1, removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) };
}
