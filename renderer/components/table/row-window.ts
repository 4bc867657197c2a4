/** Chromium lays out no element higher than about 33.5 million px, Firefox about half of that. */
const MOST_PIXELS = 15_000_000;
/** Rows at both ends that scroll one by one, so that the ends are reached without a jump. */
const EDGE = 20_000;

/**
 * A list may have more rows than an element has places for them. The places then show a part of the rows: the places of
 * both ends show the rows of both ends, and those between them are spread over the other rows.
 */
export interface RowWindow {
  places: number;
  rows: number;
}

export const rowWindow = (rows: number, rowHeight: number): RowWindow => ({
  places: Math.min(rows, Math.floor(MOST_PIXELS / rowHeight)),
  rows,
});

/** The row to show at a place that was scrolled to. */
export function rowAtPlace(place: number, { places, rows }: RowWindow): number {
  const edge = Math.min(EDGE, Math.floor(places / 4));
  if (place <= edge) return place;
  if (place >= places - edge) return rows - (places - place);
  return Math.round(edge + ((place - edge) * (rows - 2 * edge)) / (places - 2 * edge));
}

/** The place that is scrolled to for a row. */
export function placeOfRow(row: number, { places, rows }: RowWindow): number {
  const edge = Math.min(EDGE, Math.floor(places / 4));
  if (row <= edge) return row;
  if (row >= rows - edge) return places - (rows - row);
  return Math.round(edge + ((row - edge) * (places - 2 * edge)) / (rows - 2 * edge));
}
