import { parseDocument } from 'yaml';
import { isCatalogPath } from '../../integrations/catalog/workspace-files.ts';
import { hasSecretAddress } from '../../platform/lib/secrets.ts';
import type { ExportFile } from './export-file.ts';

type Settings = ExportFile['settings'];

/** Settings that determine where data and authorizations go, with the words for a preview. */
const ADDRESSES: ReadonlyArray<{ path: string[]; words: string }> = [
  { path: ['callback_url'], words: 'authorizations return to' },
  { path: ['public_url'], words: 'webhooks of providers arrive at' },
  { path: ['webhook', 'primary_url'], words: 'webhooks with events of connections go to' },
  { path: ['webhook', 'secondary_url'], words: 'webhooks with events of connections also go to' },
  { path: ['otlp_endpoint'], words: 'traces of all operations go to' },
];

/** Providers of the export that the hub has an own entry for. */
export interface PresentProviders {
  names: ReadonlySet<string>;
  mayBeReplaced: boolean;
}

const FUNCTION_PATH = /^[^/]+\/(?:syncs|actions|on-events)\/[^/]+\.ts$/;

/** One sentence for each setting that would change, each address of a connection, and the functions that would run. */
export function describeEffects(file: ExportFile, now: Settings, present: PresentProviders): string[] {
  const addresses = ADDRESSES.flatMap(({ path, words }) => {
    const address = memberAt(file.settings, path);
    return typeof address === 'string' && address !== '' && address !== memberAt(now, path)
      ? [`${words} ${shown(address)}`]
      : [];
  });
  const hosts = listAt(file.settings, 'allowed_hosts').filter((host) => !listAt(now, 'allowed_hosts').includes(host));
  const overrides = new Set(file.connections.flatMap((connection) => connection.webhook_url_override ?? []));
  const withHosts = (isPresent: boolean): string[] =>
    [...exportedProviders(file)]
      .filter(([name]) => present.names.has(name) === isPresent)
      .map(([name, entry]) => `${name} (${hostsOf(entry).join(', ')})`);
  const providers = withHosts(false);
  const replaced = present.mayBeReplaced ? withHosts(true) : [];
  const files = Object.keys(file.functions).filter((path) => !isCatalogPath(path));
  const functions = files.filter((path) => FUNCTION_PATH.test(path));
  const shownFiles = functions.length > 0 ? functions : files;
  const others = files.length - shownFiles.length;
  const withOthers = others > 0 ? ` (with ${others} further ${others === 1 ? 'file' : 'files'})` : '';
  return [
    ...addresses,
    ...(hosts.length > 0 ? [`functions and requests may reach the local or private hosts ${hosts.join(', ')}`] : []),
    ...[...overrides].map((address) => `webhooks of single connections go to ${shown(address)}`),
    ...(providers.length > 0 ? [`these providers are added, with the hosts they name: ${providers.join(', ')}`] : []),
    ...(replaced.length > 0
      ? [`these providers are here already; replaced, they name the hosts: ${replaced.join(', ')}`]
      : []),
    ...(files.length > 0 ? [`functions run with your connections: ${shownFiles.join(', ')}${withOthers}`] : []),
  ];
}

/** Origins of the addresses in an entry. An address with placeholders stays as written. */
function hostsOf(entry: unknown): string[] {
  const addresses = (JSON.stringify(entry) ?? '').matchAll(/https?:\/\/[^/"\\\s]+/g);
  const hosts = new Set([...addresses].map(([address]) => address));
  return hosts.size > 0 ? [...hosts] : ['no host'];
}

/** Only the host is shown when the rest is secret. */
function shown(address: string): string {
  const url = URL.parse(address);
  return url && hasSecretAddress(address, { isWebhook: true }) ? `${url.protocol}//${url.host}/…` : address;
}

function memberAt(value: unknown, [name, ...rest]: string[]): unknown {
  if (name === undefined || typeof value !== 'object' || value === null) return value;
  return memberAt((value as Record<string, unknown>)[name], rest);
}

function listAt(settings: Settings, name: string): string[] {
  const list = settings[name];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

/** Provider entries of an export by their key. Empty for a file that cannot be parsed; the import reports it. */
export function exportedProviders(file: Pick<ExportFile, 'functions'>): Map<string, unknown> {
  return new Map(
    Object.entries(file.functions)
      .filter(([path]) => isCatalogPath(path))
      .flatMap(([, text]) => [...entriesOf(text)]),
  );
}

function entriesOf(text: string): Map<string, unknown> {
  const document = parseDocument(text);
  const value: unknown = document.errors.length > 0 ? undefined : document.toJS();
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}
