import type { BenchRow } from './bench-case.ts';

/** The rows as a markdown table. */
export function benchTable(rows: BenchRow[]): string {
  const lines = rows.map((row) => `| ${cells(row).join(' | ')} |`);
  return ['| what | ours | baseline | ratio | goal | result |', '|---|---|---|---|---|---|', ...lines].join('\n');
}

function cells(row: BenchRow): string[] {
  const { baseline } = row;
  return [
    row.what,
    figure(row.ours, row.unit),
    baseline === undefined ? '–' : figure(baseline, row.unit),
    baseline ? `${(row.ours / baseline).toFixed(2)}×` : '–',
    row.goal || '–',
    row.isMet === undefined ? '–' : row.isMet ? 'met' : '**missed**',
  ];
}

export function figure(value: number, unit: BenchRow['unit']): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0;
  const text = value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (unit === '') return text;
  return unit === '/s' ? `${text}/s` : `${text} ${unit}`;
}
