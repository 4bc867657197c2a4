import { Change, presentableDiff } from '@codemirror/merge';

/** A number with its decimals, or a word. */
const WORD = /\d+\.\d+(?![\p{L}\p{N}_$])|[\p{L}\p{N}_$]+/gu;
/** Above this number of changed characters in a range the comparison becomes coarser, so that long texts stay fast. */
const SCAN_LIMIT = 500;

/** The changes between two texts, each widened to whole words: letters that two different words share say nothing. */
export function wordChanges(before: string, after: string): Change[] {
  const [inBefore, inAfter] = [insides(before), insides(after)];
  const isInside = (a: number, b: number): boolean => inBefore[a] === 1 || inAfter[b] === 1;
  const found = presentableDiff(before, after, { scanLimit: SCAN_LIMIT });
  const changes: Change[] = [];
  for (const [index, change] of found.entries()) {
    let { fromA, fromB, toA, toB } = change;
    const last = changes.at(-1);
    while (fromA > (last?.toA ?? 0) && fromB > (last?.toB ?? 0) && isInside(fromA, fromB)) {
      fromA -= 1;
      fromB -= 1;
    }
    const next = found[index + 1];
    const [endA, endB] = [next?.fromA ?? before.length, next?.fromB ?? after.length];
    while (toA < endA && toB < endB && isInside(toA, toB)) {
      toA += 1;
      toB += 1;
    }
    if (last && fromA === last.toA && fromB === last.toB)
      changes[changes.length - 1] = new Change(last.fromA, toA, last.fromB, toB);
    else changes.push(new Change(fromA, toA, fromB, toB));
  }
  return changes;
}

/** 1 at each position between two letters of one word. */
function insides(text: string): Uint8Array {
  const inside = new Uint8Array(text.length + 1);
  for (const { 0: word, index } of text.matchAll(WORD)) inside.fill(1, index + 1, index + word.length);
  return inside;
}
