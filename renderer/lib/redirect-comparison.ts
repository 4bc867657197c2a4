import { isLoopback } from './loopback.ts';

type PartName = 'scheme' | 'host' | 'port' | 'path' | 'query';
/** How two texts of a part differ: only in case, only by the trailing slash, only in encoding, or entirely. */
type Difference = 'case' | 'slash' | 'encoding' | 'other';

export interface ComparedPart {
  name: PartName;
  pasted: string;
  expected: string;
  difference?: Difference;
}

/** `asked`: the address of the request, according to the provider. `registered`: a single address, as registered at the provider. */
export interface PastedAddress {
  kind: 'asked' | 'registered';
  address: string;
}

/** The value of `redirect_uri`, in an address or in the text of a page; only non-letters separate name and value. */
const PARAMETER = /redirect_ur[il][^a-z]{1,8}(https?(?::|%3A|%253A)[^\s&"'<>\\]+)/i;
const IN_WORDS = /(?:redirect|callback)[\s\S]{0,160}?(https?:\/\/[^\s"'<>]+)/i;
/** The deepest nesting of addresses in addresses that providers use. */
const MAX_DECODED = 3;

/**
 * The redirect address in a pasted text: in the address or the text of a provider's error page, or the registered
 * address itself. Undefined when there is none.
 */
export function readPasted(text: string, expected: string): PastedAddress | undefined {
  const variants = readings(text.trim());
  for (const pattern of [PARAMETER, IN_WORDS]) {
    for (const variant of variants) {
      const found = pattern.exec(variant)?.[1];
      if (found !== undefined)
        return { kind: 'asked', address: decodeAddress(found).replace(/(?<![.,;)])[.,;)]+$/, '') };
    }
  }
  const alone = text.trim();
  return isRegisterable(alone, expected) ? { kind: 'registered', address: alone } : undefined;
}

/** The text, the decoded text, and the texts in its base64 parameters. */
function readings(text: string): string[] {
  const decoded = [text];
  for (let count = 0; count < MAX_DECODED; count += 1) decoded.push(decodePercent(decoded.at(-1) ?? ''));
  const packed = [...text.matchAll(/[?&=]([\w+/%-]{40,}={0,2})(?=&|#|\s|$)/g)].map(([, value = '']) =>
    decodeBase64(value),
  );
  return [...new Set([...decoded, ...packed])];
}

function decodePercent(text: string): string {
  // Piece by piece: one literal percent sign must not prevent the decoding of the rest.
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch (error) {
      if (error instanceof URIError) return run;
      throw error;
    }
  });
}

function decodeBase64(text: string): string {
  try {
    return atob(
      decodePercent(text)
        .replace(/-/g, '+')
        .replace(/_/g, '/')
        .replace(/(?<!=)=+$/, ''),
    );
  } catch (error) {
    if (error instanceof DOMException) return '';
    throw error;
  }
}

function decodeAddress(text: string): string {
  let address = text;
  for (let count = 0; count < MAX_DECODED && !/^https?:\/\//i.test(address); count += 1)
    address = decodePercent(address);
  return address;
}

/** The address of another page, such as the error page itself, is not a registered one. */
function isRegisterable(text: string, expected: string): boolean {
  const url = /\s/.test(text) ? null : URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return isLoopback(text) || url.host === URL.parse(expected)?.host || /callback\/?$/i.test(url.pathname);
}

const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/(\[[^\]]*\]|[^/:?#]*)(?::(\d+))?([^?#]*)(.*)$/is;

/** The parts as written: a provider compares characters, so nothing is normalised. */
function splitAddress(address: string): Record<PartName, string> {
  const [, scheme = '', host = '', port = '', path = address, query = ''] = ADDRESS.exec(address) ?? [];
  return { scheme, host, port, path, query };
}

export function compareAddresses(pasted: string, expected: string): ComparedPart[] {
  const [mine, theirs] = [splitAddress(expected), splitAddress(pasted)];
  return (Object.keys(mine) as PartName[])
    .filter((name) => mine[name] !== '' || theirs[name] !== '')
    .map((name) => {
      const difference = differenceOf(theirs[name], mine[name]);
      return { name, pasted: theirs[name], expected: mine[name], ...(difference ? { difference } : {}) };
    });
}

function differenceOf(one: string, other: string): Difference | undefined {
  if (one === other) return undefined;
  if (one.replace(/(?<!\/)\/+$/, '') === other.replace(/(?<!\/)\/+$/, '')) return 'slash';
  if (one.toLowerCase() === other.toLowerCase()) return 'case';
  return decodePercent(one) === decodePercent(other) ? 'encoding' : 'other';
}

const WORDS: Record<Difference, (name: PartName) => string> = {
  case: (name) => `upper and lower case in the ${name}`,
  slash: () => 'the slash at the end',
  encoding: (name) => `the encoding of the ${name}`,
  other: (name) => `the ${name}`,
};

/** What to change, in one sentence. */
export function adviseOnAddress({ kind, address }: PastedAddress, expected: string): string {
  const differences = compareAddresses(address, expected).flatMap(({ name, difference }) =>
    difference ? [WORDS[difference](name)] : [],
  );
  const what = new Intl.ListFormat('en').format(differences);
  if (kind === 'asked') {
    return differences.length === 0
      ? `The provider received the right address, so its list does not contain it: register ${expected}, character by character.`
      : `The provider was asked with ${address}, register ${expected} and connect again: ${what} ${differences.length === 1 ? 'differs' : 'differ'}.`;
  }
  return differences.length === 0
    ? 'The two addresses are the same, character by character.'
    : `Registered is ${address}, change it to ${expected}: ${what} ${differences.length === 1 ? 'differs' : 'differ'}.`;
}
