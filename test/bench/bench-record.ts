/** Records per batchSave call, and rows per transaction of the baseline. */
export const BENCH_BATCH = 1000;

const WORDS = 'amber basin cedar delta ember fjord grove heath islet jetty knoll ledge marsh north orbit plain'.split(
  ' ',
);

export interface BenchRecord {
  id: string;
  title: string;
  text: string;
  at: number;
}

/** A record of about 1 kB of JSON; the same number always gives the same record. */
export function benchRecord(index: number): BenchRecord {
  let text = '';
  for (let i = 0; text.length < 930; i++) text += `${WORDS[(index * 7 + i * 13) % WORDS.length]} `;
  return { id: `record-${index}`, title: `Record ${index}`, text, at: 1_700_000_000_000 + index };
}
