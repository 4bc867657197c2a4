/** Records per batchSave call, and rows per transaction of the baseline. */
export const BENCH_BATCH = 1000;

/** Characters of each record's text. */
export const TEXT_CHARACTERS = 930;
/** Every record's text is a window of this one, so that making records costs almost nothing. */
export const BENCH_TEXT =
  'amber basin cedar delta ember fjord grove heath islet jetty knoll ledge marsh north orbit plain '.repeat(100);

export interface BenchRecord {
  id: string;
  title: string;
  text: string;
  at: number;
}

/** A record of about 1 kB of JSON; the same number always gives the same record. */
export function benchRecord(index: number): BenchRecord {
  const from = (index * 7) % (BENCH_TEXT.length - TEXT_CHARACTERS);
  const text = BENCH_TEXT.slice(from, from + TEXT_CHARACTERS);
  return { id: `record-${index}`, title: `Record ${index}`, text, at: 1_700_000_000_000 + index };
}
