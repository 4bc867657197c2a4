import {
  filePart,
  type ImportedField,
  type ImportedRequest,
  type ImportedRequests,
  ImportProblem,
  importedRequest,
  MAX_REQUESTS,
  type RawRequest,
  SIGN_IN,
} from './imported-request.ts';
import { shellCommands } from './shell-words.ts';

/** The requests of one or more cURL commands, as they are written for a POSIX shell. */
export function readCurlCommands(text: string, baseUrl: string | null): ImportedRequests {
  const notes = new Set<string>();
  const requests: ImportedRequest[] = [];
  for (const command of shellCommands(text)) {
    // `$` of a prompt, and values that are set for the command.
    const start = command.findIndex((word) => word !== '$' && !/^\w{1,100}=/.test(word));
    if (start < 0 || !/(^|\/)curl(\.exe)?$/.test(command[start] ?? '')) continue;
    for (const raw of rawRequests(command.slice(start + 1), notes)) {
      if (requests.length >= MAX_REQUESTS)
        throw new ImportProblem(`There are more than ${MAX_REQUESTS} commands. Import them in parts.`);
      requests.push(importedRequest(raw, { baseUrl, notes }));
    }
  }
  if (requests.length === 0) throw new ImportProblem('There is no curl command in the text.');
  return { requests, notes: [...notes] };
}

interface Parsed {
  method?: string;
  urls: string[];
  headers: Array<[string, string]>;
  data: string[];
  query: string[];
  parts: ImportedField[];
  isJson: boolean;
  isGet: boolean;
  isHead: boolean;
}

const none = (): Parsed => ({
  urls: [],
  headers: [],
  data: [],
  query: [],
  parts: [],
  isJson: false,
  isGet: false,
  isHead: false,
});

function rawRequests(words: readonly string[], notes: Set<string>): RawRequest[] {
  const found: RawRequest[] = [];
  let parsed = none();
  let isOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (isOver || !word.startsWith('-') || word === '-') {
      parsed.urls.push(word);
      continue;
    }
    if (word === '--') isOver = true;
    else if (word === '--next' || word === '-:') {
      found.push(...finished(parsed));
      parsed = none();
    } else {
      for (const { option, value } of optionsOf(word, words[at + 1])) {
        if (value?.isNext) at += 1;
        take(parsed, option, value?.text ?? '', notes);
      }
    }
  }
  return [...found, ...finished(parsed)];
}

interface ReadOption {
  /** Long name. */
  option: string;
  value?: { text: string; isNext: boolean };
}

/** The options of a word: one long one, or several short ones of which the last may have a value. */
function optionsOf(word: string, next: string | undefined): ReadOption[] {
  const valueFor = (option: string, rest: string): ReadOption => {
    if (rest !== '') return { option, value: { text: rest, isNext: false } };
    if (next === undefined) throw new ImportProblem(`The curl option ${word} needs a value.`);
    return { option, value: { text: next, isNext: true } };
  };
  if (word.startsWith('--')) {
    const option = word.slice(2);
    if (WITH_VALUE.has(option)) return [valueFor(option, '')];
    if (WITHOUT_VALUE.has(option) || option.startsWith('no-')) return [{ option }];
    throw new ImportProblem(`The curl option ${word.slice(0, 60)} is not known here. Remove it from the command.`);
  }
  const options: ReadOption[] = [];
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const option = SHORT[letter] ?? '';
    if (option === '' && !SHORT_WITHOUT_VALUE.includes(letter))
      throw new ImportProblem(`The curl option -${letter} is not known here. Remove it from the command.`);
    if (WITH_VALUE.has(option)) return [...options, valueFor(option, word.slice(at + 1))];
    // Of many the last of its kind counts, so that a long word costs no memory.
    if (option !== '' && options.length < 20) options.push({ option });
  }
  return options;
}

function take(parsed: Parsed, option: string, value: string, notes: Set<string>): void {
  switch (option) {
    case 'request':
      parsed.method = value;
      break;
    case 'url':
      parsed.urls.push(value);
      break;
    case 'url-query':
      parsed.query.push(value);
      break;
    case 'header': {
      const end = value.search(/[:;]/);
      if (end > 0) parsed.headers.push([value.slice(0, end).trim(), value.slice(end + 1).trim()]);
      break;
    }
    case 'user-agent':
      parsed.headers.push(['User-Agent', value]);
      break;
    case 'referer':
      parsed.headers.push(['Referer', value]);
      break;
    case 'cookie':
      if (value.includes('=')) parsed.headers.push(['Cookie', value]);
      else notes.add('The cookies of a file are left out.');
      break;
    case 'user':
    case 'oauth2-bearer':
    case 'aws-sigv4':
      notes.add(SIGN_IN);
      break;
    case 'data':
    case 'data-ascii':
    case 'data-binary':
      parsed.data.push(inText(option, value));
      break;
    case 'data-raw':
      parsed.data.push(value);
      break;
    case 'data-urlencode':
      parsed.data.push(encoded(value));
      break;
    case 'json':
      parsed.isJson = true;
      parsed.data.push(inText(option, value));
      break;
    case 'form':
    case 'form-string':
      parsed.parts.push(partOf(option, value));
      break;
    case 'upload-file':
      throw new ImportProblem(
        `The body is in the file ${value.slice(0, 100)}. Remove the option, and add it to the request.`,
      );
    case 'get':
      parsed.isGet = true;
      break;
    case 'head':
      parsed.isHead = true;
      break;
    default:
      // How the command writes or connects is no part of the request.
      break;
  }
}

function inText(option: string, value: string): string {
  if (value.startsWith('@'))
    throw new ImportProblem(
      `The body is in the file ${value.slice(1, 100)}, which a page cannot read. Put its text in place of it, after --${option}.`,
    );
  return value;
}

/** `content`, `=content` or `name=content`, of which the content is encoded. */
function encoded(value: string): string {
  const at = value.indexOf('=');
  if (at < 0) return encodeURIComponent(inText('data-urlencode', value).toWellFormed());
  const name = value.slice(0, at);
  return `${name === '' ? '' : `${name}=`}${encodeURIComponent(value.slice(at + 1).toWellFormed())}`;
}

function partOf(option: string, value: string): ImportedField {
  const at = value.indexOf('=');
  if (at < 0) throw new ImportProblem(`The curl option --${option} needs name=value: ${value.slice(0, 60)}`);
  const name = value.slice(0, at);
  const content = value.slice(at + 1);
  if (option === 'form-string') return { name, value: content };
  if (content.startsWith('<'))
    throw new ImportProblem(
      `The part ${name.slice(0, 60)} is the text of a file. Put the text in place of ${content.slice(0, 60)}.`,
    );
  if (!content.startsWith('@')) return { name, value: content };
  const [path = '', ...more] = content.slice(1).split(';');
  const type = more.find((one) => one.startsWith('type='))?.slice('type='.length);
  return filePart(name, path.replaceAll('"', ''), type);
}

function finished(parsed: Parsed): RawRequest[] {
  const { data, headers, isGet, isHead, parts, query, urls } = parsed;
  if (urls.length === 0) {
    if (headers.length + data.length + parts.length === 0) return [];
    throw new ImportProblem('A curl command has no address.');
  }
  const inQuery = isGet ? [...query, ...data] : query;
  const hasType = headers.some(([name]) => name.toLowerCase() === 'content-type');
  const text = data.join(parsed.isJson ? '' : '&');
  const hasText = data.length > 0 && !isGet;
  const method = parsed.method ?? (isHead ? 'HEAD' : hasText || parts.length > 0 ? 'POST' : 'GET');
  const implied: Array<[string, string]> =
    hasText && !hasType
      ? [['Content-Type', parsed.isJson ? 'application/json' : 'application/x-www-form-urlencoded']]
      : [];
  return urls.map((url) => {
    const whole = inQuery.length === 0 ? url : `${url}${url.includes('?') ? '&' : '?'}${inQuery.join('&')}`;
    return {
      name: `${method} ${shortPath(url)}`,
      method,
      url: whole,
      headers: [...headers, ...implied],
      ...(parts.length > 0
        ? { body: { type: 'multipart' as const, fields: parts } }
        : hasText
          ? { body: { type: 'raw' as const, text } }
          : {}),
    };
  });
}

/** For the name of the request. */
function shortPath(url: string): string {
  const path = url
    .slice(0, 2000)
    .replace(/^[a-z]{1,10}:\/\//i, '')
    .replace(/^[^/?]*/, '')
    .replace(/[?#].*$/s, '');
  return path === '' ? '/' : path;
}

/** Short options that matter, or that have a value; the others only change how the command runs. */
const SHORT: Record<string, string> = {
  A: 'user-agent',
  b: 'cookie',
  c: 'cookie-jar',
  C: 'continue-at',
  d: 'data',
  D: 'dump-header',
  e: 'referer',
  E: 'cert',
  F: 'form',
  G: 'get',
  H: 'header',
  I: 'head',
  K: 'config',
  m: 'max-time',
  o: 'output',
  r: 'range',
  t: 'telnet-option',
  T: 'upload-file',
  u: 'user',
  U: 'proxy-user',
  w: 'write-out',
  x: 'proxy',
  X: 'request',
  y: 'speed-time',
  Y: 'speed-limit',
  z: 'time-cond',
};
const SHORT_WITHOUT_VALUE = '#01236afghijJklLnNOpqRsSvVZ4';

const WITH_VALUE = new Set(
  `aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie cookie-jar
  create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode delegation dns-servers doh-url
  dump-header expect100-timeout form form-string header interface ipfs-gateway json keepalive-time key key-type
  limit-rate local-port max-filesize max-redirs max-time noproxy oauth2-bearer output output-dir parallel-max pass
  pinnedpubkey proto proto-default proxy proxy-user range rate referer request request-target resolve retry
  retry-delay retry-max-time socks5 socks5-hostname speed-limit speed-time stderr telnet-option time-cond tls-max
  tls13-ciphers trace trace-ascii unix-socket upload-file url url-query user user-agent write-out proxy-header`.split(
    /\s+/,
  ),
);

const WITHOUT_VALUE = new Set(
  `anyauth basic cert-status compressed create-dirs digest disable fail fail-early fail-with-body false-start get globoff
  head http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3 http3-only include insecure ipv4 ipv6
  junk-session-cookies list-only location location-trusted negotiate netrc netrc-optional ntlm parallel path-as-is
  post301 post302 post303 progress-bar raw remote-header-name remote-name remote-name-all remote-time remove-on-error
  retry-all-errors retry-connrefused show-error show-headers silent ssl ssl-no-revoke ssl-reqd sslv2 sslv3 styled-output
  tcp-fastopen tcp-nodelay tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii
  verbose`.split(/\s+/),
);
