import type { SourceFile } from './source-tree.ts';

type Imports = Pick<SourceFile, 'path' | 'imports'>;

/** Each cycle of value imports once, as the list of its files in order. */
export function findCircles(files: Imports[]): string[][] {
  const graph = new Map(
    files.map(({ path, imports }) => [path, imports.filter((found) => found.isRelative && !found.isTypeOnly)]),
  );
  const circles: string[][] = [];
  const finished = new Set<string>();
  const trail: string[] = [];

  const walk = (file: string): void => {
    const start = trail.indexOf(file);
    if (start !== -1) circles.push(trail.slice(start));
    if (start !== -1 || finished.has(file)) return;
    trail.push(file);
    for (const { to } of graph.get(file) ?? []) walk(to);
    trail.pop();
    finished.add(file);
  };
  for (const file of graph.keys()) walk(file);
  return circles;
}
