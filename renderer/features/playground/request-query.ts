import type { KeyValue } from '../../lib/key-values.ts';

/** Characters that stand for themselves in a query, although they may be encoded. */
const PLAIN = /%(?:24|2C|2F|3A|3F|40|5B|5D)/g;

/** A reference to a variable, which the hub fills in and encodes. */
const REFERENCE = /(\\?\{\{[^{}\r\n]{1,300}\}\})/;

const encodePart = (text: string): string =>
  text
    .split(REFERENCE)
    .map((part, index) =>
      index % 2 === 1 ? part : encodeURIComponent(part).replace(PLAIN, (code) => decodeURIComponent(code)),
    )
    .join('');

const encodeRow = ({ key, value }: KeyValue): string =>
  key === '' && value === '' ? '' : `${encodePart(key)}=${encodePart(value)}`;

/** A percent sign that encodes nothing stands for itself. */
function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

function decodeRow(pair: string): KeyValue {
  const at = pair.indexOf('=');
  return at < 0
    ? { key: decodePart(pair), value: '' }
    : { key: decodePart(pair.slice(0, at)), value: decodePart(pair.slice(at + 1)) };
}

function split(endpoint: string): { path: string; pairs: string[] } {
  const at = endpoint.indexOf('?');
  return at < 0
    ? { path: endpoint, pairs: [] }
    : { path: endpoint.slice(0, at), pairs: endpoint.slice(at + 1).split('&') };
}

/** The parameters in the query of an address; an empty pair is a row that is still to be filled in. */
export function queryRows(endpoint: string): KeyValue[] {
  return split(endpoint).pairs.map(decodeRow);
}

/** The address with these parameters. Those that were there before keep their characters, because it is sent as it is. */
export function withQueryRows(endpoint: string, rows: readonly KeyValue[]): string {
  const { path, pairs } = split(endpoint);
  const left = [...pairs];
  const written = rows.map((row) => {
    const at = left.findIndex((pair) => {
      const old = decodeRow(pair);
      return old.key === row.key && old.value === row.value;
    });
    return at < 0 ? encodeRow(row) : (left.splice(at, 1)[0] ?? '');
  });
  return rows.length === 0 ? path : `${path}?${written.join('&')}`;
}
