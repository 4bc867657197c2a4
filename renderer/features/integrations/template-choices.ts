interface OfferedTemplate {
  name: string;
  type: string;
  description: string;
  isThere: boolean;
}

/** The templates whose name or description contains every word; those that are not in the functions folder come first. */
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
