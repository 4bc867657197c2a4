import { figure } from '../bench-table.ts';
import type { GrowthFigure, GrowthTable } from './growth-case.ts';

/** A table for each thing that grows, as markdown. */
export function growthTables(tables: GrowthTable[]): string {
  return tables.map(growthTable).join('\n\n');
}

function growthTable({ figures, of, sizes }: GrowthTable): string {
  const head = [of, ...sizes.map((size) => size.toLocaleString('en')), 'slope'];
  return [head, head.map(() => '---'), ...figures.map((one) => cells(one, sizes))]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
}

function cells(one: GrowthFigure, sizes: number[]): string[] {
  return [one.what, ...one.values.map((value) => figure(value, one.unit)), slope(sizes, one.values).toFixed(2)];
}

/** Less than the clocks tell; 0 has no logarithm. */
const LEAST = 0.01;

/** The exponent from the first size to the last: 0 does not grow, 1 grows like the size. */
export function slope(sizes: number[], values: number[]): number {
  const growthOf = (list: number[]): number =>
    Math.log(Math.max(list.at(-1) ?? 1, LEAST) / Math.max(list[0] ?? 1, LEAST));
  return growthOf(values) / growthOf(sizes);
}
