export interface ShownDifference {
  name: string;
  /** 0 to 1; null when no picture was stored. */
  share: number | null;
}

/** A page that shows each differing picture as stored, as drawn now, and with the differences. */
export function differencePage(differences: readonly ShownDifference[]): string {
  const rows = differences.map(({ name, share }) => {
    const folders = share === null ? ['now'] : ['stored', 'now', 'difference'];
    const figures = folders.map(
      (folder) =>
        `<figure><figcaption>${folder}</figcaption><a href="${folder}/${name}.png"><img src="${folder}/${name}.png" alt=""></a></figure>`,
    );
    return `<h2>${name}: ${differenceText(share)}</h2>\n<div>${figures.join('')}</div>`;
  });
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Pictures that differ</title>
<style>
  body { font: 14px system-ui; margin: 24px; background: #888; }
  div { display: flex; gap: 12px; }
  figure { margin: 0; flex: 1 1 0; min-width: 0; }
  img { max-width: 100%; }
</style>
<h1>${differences.length} pictures differ</h1>
${rows.join('\n')}
</html>
`;
}

export const differenceText = (share: number | null): string =>
  share === null ? 'not stored yet' : `${(share * 100).toFixed(2)} % differs`;
