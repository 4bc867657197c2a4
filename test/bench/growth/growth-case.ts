import type { BenchRow, BenchScale } from '../bench-case.ts';

export interface GrowthFigure {
  what: string;
  unit: BenchRow['unit'];
  /** One for each size. */
  values: number[];
}

export interface GrowthTable {
  /** What there is more of. */
  of: string;
  sizes: number[];
  figures: GrowthFigure[];
}

/** A hub that grows, and what is measured at each size. */
interface Grown {
  grow(size: number): Promise<void>;
  measures: Array<{ what: string; unit: BenchRow['unit']; measure(): Promise<number> }>;
  stop(): Promise<void>;
}

export interface GrowthCase {
  of: string;
  sizesOf(scale: BenchScale): number[];
  open(scale: BenchScale): Promise<Grown>;
}

export async function runGrowth({ of, open, sizesOf }: GrowthCase, scale: BenchScale): Promise<GrowthTable> {
  const sizes = sizesOf(scale);
  const hub = await open(scale);
  try {
    const figures = hub.measures.map(({ what, unit }): GrowthFigure => ({ what, unit, values: [] }));
    for (const size of sizes) {
      await hub.grow(size);
      for (const [index, { measure }] of hub.measures.entries()) figures[index]?.values.push(await measure());
    }
    return { of, sizes, figures };
  } finally {
    await hub.stop();
  }
}
