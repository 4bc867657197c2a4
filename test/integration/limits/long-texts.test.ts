// @module-tag slow
import { describe, expect, it } from 'vitest';
import { plainNotes } from '../../../electron/main/update-flow.ts';
import { parseCsv } from '../../../renderer/lib/csv.ts';
import { formatFrequency } from '../../../renderer/lib/format-time.ts';
import { fuzzyMatch } from '../../../renderer/lib/fuzzy-match.ts';
import { parsePairs } from '../../../renderer/lib/key-values.ts';
import { readPasted } from '../../../renderer/lib/redirect-comparison.ts';
import { samlEnd } from '../../../server/connections/credentials/auth-modes/saml-assertion.ts';
import { isRedirectMismatch } from '../../../server/contract/callback-page.ts';
import { parseFrequency } from '../../../server/contract/frequency.ts';
import { settingsBody } from '../../../server/environments/environment.contract.ts';
import { findEntryText } from '../../../server/integrations/catalog/entry-texts.ts';
import { parseParts } from '../../../server/integrations/catalog/template/parse-template.ts';
import { isPem, toPem } from '../../../server/integrations/catalog/template/pem.ts';
import { parseLogQuery } from '../../../server/log/log-query.contract.ts';
import { cleanText, cleanValue } from '../../../server/log/log-values.ts';
import { searchTerms } from '../../../server/log/search-terms.ts';
import { SecretRedactor } from '../../../server/log/secret-redactor.ts';
import { redactBody } from '../../../server/log/traffic-recordings.ts';
import { parseBody } from '../../../server/platform/http/parse-body.ts';
import { findJsonExcess } from '../../../server/platform/lib/json-limits.ts';
import { nearestKey } from '../../../server/platform/lib/nearest-name.ts';
import { SecretReplacer } from '../../../server/platform/lib/secret-replacer.ts';
import { hasSecretAddress, secretsOf } from '../../../server/platform/lib/secrets.ts';
import { terminalText } from '../../../server/platform/lib/terminal-text.ts';

const MB = 1_000_000;
/**
 * Processor time. The slowest reader needs about a tenth of it on a slow machine; with quadratic time the text of 1 MB alone
 * takes minutes.
 */
const LIMIT_PER_MB_MS = 3_000;

const SECRETS = ['secret-1', 'a'.repeat(50_000), `a${'a'.repeat(30_000)}b`, 'k/'.repeat(50_000), '"quoted" value/1'];
const MANY_SECRETS = Array.from({ length: 25_000 }, (_, index) => `token_${index.toString(36)}-abcdefghij`);
const redactor = new SecretRedactor(SECRETS);
const replacer = new SecretReplacer(MANY_SECRETS);

/** Every function that reads text of callers, providers, files or people without the help of a library. */
const READERS: Record<string, (text: string) => unknown> = {
  'a log message': (text) => cleanText(text, redactor),
  'a value in the log': (text) => cleanValue({ text, list: [text] }, redactor),
  'a text with 25,000 secrets': (text) => replacer.replace(text),
  // At most the first MB of a body is recorded.
  'a recorded JSON body': (text) =>
    redactBody(Buffer.from(`{"a":"${text.slice(0, MB)}`), (part) => redactor.redact(part)),
  'a recorded form': (text) =>
    redactBody(Buffer.from(`name="a"\r\n\r\n${text.slice(0, MB)}`), (part) => redactor.redact(part)),
  'exported metadata': (text) => hasSecretAddress(text, { isWebhook: true }),
  'an exported address': (text) => hasSecretAddress(`https://api.test/${text}`, { isWebhook: true }),
  'a token response': (text) => secretsOf({ raw: { text } }),
  'a search in the log': (text) => searchTerms(text),
  'a query for the log': (text) => parseLogQuery(text),
  'a frequency': (text) => parseFrequency(`every ${text}`),
  'a shown frequency': (text) => formatFrequency(`every ${text}`),
  'allowed hosts': (text) => settingsBody.safeParse({ allowed_hosts: [text] }),
  'a content type': (text) => parseBodySafely(`text/plain; charset=${text}`),
  'the depth of JSON': (text) => findJsonExcess(text),
  'an unknown name': (text) => nearestKey(text, ['environment', 'connections']),
  'text for a terminal': (text) => terminalText(text),
  'a message about a redirect address': (text) => isRedirectMismatch(`redirect_uri ${text}`),
  'a pasted address': (text) => readPasted(text, 'http://localhost:3003/oauth/callback'),
  'an entry of the catalogue': (text) => findEntryText(`one:\n  a: ${text}\n${text}`, 'one'),
  'a template': (text) => parseParts(text),
  'a private key': (text) => [toPem(text, 'PRIVATE KEY'), isPem(`-----BEGIN ${text}`, 'KEY')],
  'a SAML assertion': (text) => samlEnd(Buffer.from(`<Conditions ${text}`).toString('base64')),
  'a table of connections': (text) => parseCsv(`id,${text}`),
  'pairs of names and values': (text) => parsePairs(`A=${text}`),
  'a search in a list': (text) => [fuzzyMatch(text, 'ab ba'), fuzzyMatch('name of an integration', text)],
  'notes of an update': (text) => plainNotes(text),
};

const UNITS = [
  'a',
  '0',
  'A0-',
  ' ',
  '\n',
  '=',
  '/',
  '"',
  '\\',
  '.',
  ', ',
  '&a=',
  '[{',
  '{"a":[',
  '<li ',
  '<script>',
  '://',
  'a://',
  '${',
  '-----BEGIN A-----',
  'eyJ-',
  '\t#',
];

function parseBodySafely(contentType: string): unknown {
  try {
    return parseBody(Buffer.from('text'), contentType);
  } catch (error) {
    return error;
  }
}

function usedMs(): number {
  const { system, user } = process.threadCpuUsage();
  return (system + user) / 1_000;
}

describe.each(Object.entries(READERS))('Reading %s', (_, read) => {
  /** The kinds of text that it reads too slowly. The sizes ascend, so that one of quadratic time stops at the first. */
  const slowTexts = (sizes: number[]): string[] =>
    UNITS.flatMap((unit) => {
      for (const size of sizes) {
        const text = unit.repeat(size / unit.length);
        const startedAt = usedMs();
        read(text);
        const tookMs = usedMs() - startedAt;
        if (tookMs > 200 + (LIMIT_PER_MB_MS * size) / MB)
          return [`${JSON.stringify(unit)} of ${size} bytes: ${tookMs} ms`];
      }
      return [];
    });

  it('takes a time that grows with the text, for every kind of text', { timeout: 600_000 }, () => {
    expect(slowTexts([0.1 * MB, MB])).toEqual([]);
  });

  it('takes that time for 8 MB too', { tags: ['nightly'], timeout: 600_000 }, () => {
    expect(slowTexts([8 * MB])).toEqual([]);
  });
});
