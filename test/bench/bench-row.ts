import type { BenchRow } from './bench-case.ts';

interface Figures {
  ours: number;
  baseline?: number;
}

/** A figure that is shown for scale. */
export function shown(what: string, figures: Figures, unit: BenchRow['unit'] = 'ms'): BenchRow {
  return { what, unit, ...figures, goal: '' };
}

export function atMost(what: string, figures: Figures, most: number, unit: BenchRow['unit'] = 'ms'): BenchRow {
  return { what, unit, ...figures, goal: `≤ ${withUnit(most, unit)}`, isMet: figures.ours <= most };
}

/** A rate of work. */
export function atLeast(what: string, figures: Figures, least: number): BenchRow {
  return { what, unit: '/s', ...figures, goal: `≥ ${least}/s`, isMet: figures.ours >= least };
}

/** A rate, compared with the baseline. */
export function shareAtLeast(what: string, figures: Required<Figures>, least: number): BenchRow {
  const goal = `≥ ${least.toFixed(2)}×`;
  return { what, unit: '/s', ...figures, goal, isMet: figures.ours >= figures.baseline * least };
}

/** A time, compared with the baseline. */
export function addedAtMost(what: string, figures: Required<Figures>, mostMs: number): BenchRow {
  const isMet = figures.ours - figures.baseline <= mostMs;
  return { what, unit: 'ms', ...figures, goal: `≤ ${mostMs} ms more`, isMet };
}

function withUnit(value: number, unit: BenchRow['unit']): string {
  return unit === '' ? String(value) : `${value} ${unit}`;
}
