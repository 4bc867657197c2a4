/** What the pages of the documentation show of the reader's own hub (server/docs/README.md). */
export interface ReaderValues {
  /** Origin of the hub. */
  address: string;
  /** Undefined while it is not shown. */
  secretKey: string | undefined;
  /** The connection of the practice provider that takes the place of `practice` and `me`. */
  connection: { integrationKey: string; connectionId: string } | undefined;
}

/** Spellings in the pages. */
const ADDRESS = 'http://127.0.0.1:3003';
/** The same address in those that providers know, such as the callback address. */
const LOCALHOST = 'http://localhost:3003';
const SECRET_KEY = 'paste-the-secret-key-here';
export const HIDDEN_KEY = '••••••••';

/** Where the id of the connection stands, and the key of the integration. */
const CONNECTION_ID = /(Connection-Id: |\/connections?\/|"connection_id": "|connectionId: ')me\b/gi;
const INTEGRATION =
  /(Provider-Config-Key: |provider_config_key=|"provider_config_key": "|providerConfigKey: ')practice\b/gi;

/** Whether a text contains something of the reader's own. */
export const namesSecretKey = (text: string): boolean => text.includes(SECRET_KEY);

/** The text with the address of the reader's hub. */
export function fillReaderAddress(text: string, address: string): string {
  const { port } = new URL(address);
  return text.replaceAll(ADDRESS, address).replaceAll(LOCALHOST, `http://localhost${port === '' ? '' : `:${port}`}`);
}

/** The text with the reader's values. The key that is not shown becomes `hidden`. */
export function fillReaderValues(text: string, values: ReaderValues, hidden: string): string {
  const { address, connection, secretKey = hidden } = values;
  const filled = fillReaderAddress(text, address).replaceAll(SECRET_KEY, secretKey);
  if (!connection) return filled;
  return filled
    .replaceAll(CONNECTION_ID, (_, before: string) => `${before}${connection.connectionId}`)
    .replaceAll(INTEGRATION, (_, before: string) => `${before}${connection.integrationKey}`);
}

/** The same for the copy button: a key that is not shown stays as the page writes it. */
export const copyWithReaderValues = (text: string, values: ReaderValues): string =>
  fillReaderValues(text, values, SECRET_KEY);
