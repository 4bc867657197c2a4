interface OfferedTemplate {
  name: string;
  type: string;
  description: string;
  isThere: boolean;
}

/** Those whose name or description holds every word, the ones that are not in the functions folder first. */
export function chooseTemplates<Row extends OfferedTemplate>(
  rows: readonly Row[],
  { search, type }: { search: string; type: string },
): Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows
    .filter((row) => type === '' || row.type === type)
    .filter(({ name, description }) => words.every((word) => `${name} ${description}`.toLowerCase().includes(word)))
    .toSorted((a, b) => Number(a.isThere) - Number(b.isThere));
}
