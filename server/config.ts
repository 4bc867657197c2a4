import { homedir, platform, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { SETTING_VARIABLES } from './contract/setting-variables.ts';
import type { LogLevel } from './platform/lib/logger.ts';
import { nearestName } from './platform/lib/nearest-name.ts';
import { hasNtfyTopic } from './platform/lib/ntfy-topic.ts';
import { decodeMasterKey } from './platform/vault/master-key.ts';

/** What an MCP client without its own policy may do: with `ask` it may read and must ask for everything else. */
export type McpDefault = 'allow' | 'ask' | 'deny';
export type FunctionLogLevelSetting = 'debug' | 'info' | 'warn' | 'error' | 'off';

/** All settings from outside the program, read once at start (design.md 3). */
export interface Config {
  port: number;
  home: string;
  /** True when the data folder was set from outside. */
  isHomeNamed: boolean;
  /** The person's own folder, and the variables by which other programs place their files. */
  person: { home: string; env: Environment };
  functionsFolder: string;
  /** True when the folder was set from outside. */
  isFunctionsFolderNamed: boolean;
  /** UUID v4 for environment `dev`, set from outside. */
  secretKey?: string;
  /** Base64 of 32 bytes; used instead of the keychain. */
  masterKey?: string;
  /** Origin of webhook and callback addresses, without a trailing slash; undefined means `http://localhost:<port>`. */
  publicUrl?: string;
  functionLogLevel?: FunctionLogLevelSetting;
  /** Limit for the sum of the memory limits of all function runs, in MB; further runs wait. */
  functionMemoryMb: number;
  /** Primary webhook address of `dev`, set at start. */
  webhookUrl?: string;
  /** Applies overrides of the workspace catalogue without approval. */
  trustsWorkspace: boolean;
  /** When false, type errors are not reported; functions run as usual. */
  checksTypes: boolean;
  mcpDefault: McpDefault;
  /** Agents may sign in and call tools by the public address too. */
  isMcpPublic: boolean;
  /** Where questions about calls of agents are sent; undefined means nowhere else than on this computer. */
  approvals?: { kind: 'ntfy' | 'webhook'; url: string; token?: string };
  /** The links of these messages lead to the public address, which answers them; undefined: as the settings say. */
  areAnswersPublic?: boolean;
  practicePort: number;
  /** Undefined: the level depends on how the log is written. */
  programLogLevel?: LogLevel;
  /** Text for people or JSON. Undefined: text if standard error is a terminal. */
  logFormat?: 'text' | 'json';
}

/** A setting from outside cannot be used. The message names the variable and the accepted values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

type Environment = Record<string, string | undefined>;

/** Where programs of other vendors keep their settings. */
const PLACES = ['APPDATA', 'XDG_CONFIG_HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME'];

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
const FUNCTION_LEVELS: readonly FunctionLogLevelSetting[] = ['debug', 'info', 'warn', 'error', 'off'];
const MCP_DEFAULTS: readonly McpDefault[] = ['allow', 'ask', 'deny'];
const PROGRAM_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];
const LOG_FORMATS = ['text', 'json'] as const;

const VARIABLES: readonly string[] = Object.keys(SETTING_VARIABLES);

/**
 * Variables that hold a secret. They are removed from the environment after reading, so that child processes do not
 * inherit them.
 */
const SECRET_VARIABLES = ['HOMEPORT_MASTER_KEY', 'HOMEPORT_NEW_MASTER_KEY', 'HOMEPORT_SECRET_KEY'];

export function removeSecretVariables(env: Environment): void {
  for (const name of SECRET_VARIABLES) delete env[name];
}

/** Throws ConfigError, or MasterKeyError for a malformed master key. */
export function readConfig(env: Environment): Config {
  checkNames(env);
  const home = resolve(env['HOMEPORT_HOME'] || defaultHome(env));
  const functionLogLevel =
    readChoice(env, 'HOMEPORT_LOGGER_LEVEL', FUNCTION_LEVELS) ?? readChoice(env, 'NANGO_LOGGER_LEVEL', FUNCTION_LEVELS);
  const secretKey = env['HOMEPORT_SECRET_KEY'];
  const masterKey = env['HOMEPORT_MASTER_KEY'];
  if (masterKey) decodeMasterKey(masterKey, 'in HOMEPORT_MASTER_KEY');
  if (secretKey && !UUID_V4.test(secretKey)) throw new ConfigError('HOMEPORT_SECRET_KEY must be a UUID v4.');
  const programLogLevel = readChoice(env, 'HOMEPORT_PROGRAM_LOG', PROGRAM_LEVELS);
  const logFormat = readChoice(env, 'HOMEPORT_LOG_FORMAT', LOG_FORMATS);
  return {
    port: readPort(env, 'HOMEPORT_PORT', 3003),
    home,
    isHomeNamed: Boolean(env['HOMEPORT_HOME']),
    person: {
      home: env['HOME'] || env['USERPROFILE'] || homedir(),
      env: Object.fromEntries(PLACES.map((name) => [name, env[name] || undefined])),
    },
    functionsFolder: resolve(env['HOMEPORT_FUNCTIONS'] || join(home, 'functions')),
    isFunctionsFolderNamed: Boolean(env['HOMEPORT_FUNCTIONS']),
    ...(secretKey ? { secretKey: secretKey.toLowerCase() } : {}),
    ...(masterKey ? { masterKey } : {}),
    ...optionalUrl(env, 'HOMEPORT_PUBLIC_URL', 'publicUrl'),
    ...optionalUrl(env, 'HOMEPORT_WEBHOOK_URL', 'webhookUrl'),
    ...(functionLogLevel ? { functionLogLevel } : {}),
    functionMemoryMb: readFunctionMemory(env),
    trustsWorkspace: readChoice(env, 'HOMEPORT_TRUST_WORKSPACE', ['0', '1']) === '1',
    checksTypes: readChoice(env, 'HOMEPORT_TYPE_CHECK', ['0', '1']) !== '0',
    mcpDefault: readChoice(env, 'HOMEPORT_MCP', MCP_DEFAULTS) ?? 'ask',
    isMcpPublic: readChoice(env, 'HOMEPORT_MCP_PUBLIC', ['0', '1']) === '1',
    ...readApprovals(env),
    ...readAnswersPublic(env),
    practicePort: readPort(env, 'HOMEPORT_PRACTICE_PORT', 0),
    ...(programLogLevel ? { programLogLevel } : {}),
    ...(logFormat ? { logFormat } : {}),
  };
}

function readApprovals(env: Environment): Pick<Config, 'approvals'> {
  const { url } = optionalUrl(env, 'HOMEPORT_APPROVALS_URL', 'url');
  if (url === undefined) return {};
  const kind = readChoice(env, 'HOMEPORT_APPROVALS_KIND', ['ntfy', 'webhook']) ?? 'ntfy';
  if (kind === 'ntfy' && !hasNtfyTopic(url))
    throw new ConfigError('HOMEPORT_APPROVALS_URL must end with the topic, as in https://ntfy.sh/my-topic.');
  const token = env['HOMEPORT_APPROVALS_TOKEN'];
  return { approvals: { url, kind, ...(token ? { token } : {}) } };
}

function readAnswersPublic(env: Environment): Pick<Config, 'areAnswersPublic'> {
  const choice = readChoice(env, 'HOMEPORT_APPROVALS_PUBLIC', ['0', '1']);
  return choice === undefined ? {} : { areAnswersPublic: choice === '1' };
}

function readChoice<T extends string>(env: Environment, name: string, choices: readonly T[]): T | undefined {
  const text = env[name];
  if (!text) return undefined;
  const choice = choices.find((one) => one === text);
  if (choice === undefined) throw new ConfigError(`${name} is "${text}"; it must be one of ${choices.join(', ')}.`);
  return choice;
}

/** Variables of the reference that the program reads. Its others stay unmentioned: a shell may have them for it. */
const FOREIGN_VARIABLES = ['NANGO_HOSTPORT', 'NANGO_LOGGER_LEVEL'];

/** Reports misspelled variables, which would have no effect. Variables of other programs are ignored. */
function checkNames(env: Environment): void {
  for (const name of Object.keys(env)) {
    if (VARIABLES.includes(name) || FOREIGN_VARIABLES.includes(name)) continue;
    const meant = name.startsWith('HOMEPORT_') ? meantInFull(name) : meantByPrefix(name);
    if (meant) throw new ConfigError(`There is no variable ${name}. Did you mean ${meant}?`);
  }
}

function meantInFull(name: string): string | undefined {
  const own = name.slice('HOMEPORT_'.length);
  const names = VARIABLES.map((variable) => variable.slice('HOMEPORT_'.length));
  // `HOMEPORT_HOST` is not one of our variables, so it may be a mistake.
  const meant = nearestName(own, names, own.length > 6 ? 2 : 1);
  return meant && `HOMEPORT_${meant}`;
}

/** `HOMEPROT_PORT`, `homeport_port`, `NANGO_HOSTPROT`. */
function meantByPrefix(name: string): string | undefined {
  return nearestName(name, [...VARIABLES, ...FOREIGN_VARIABLES], 2);
}

function readPort(env: Environment, name: string, fallback: number): number {
  const text = env[name];
  if (!text) return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ConfigError(`${name} must be a port number (0 to 65535).`);
  return port;
}

/** By default half of the machine's memory, 4 GB at most (design.md 7.42). */
function readFunctionMemory(env: Environment): number {
  const text = env['HOMEPORT_FUNCTION_MEMORY_MB'];
  if (!text) return Math.min(4096, Math.floor(totalmem() / 2 / 1_048_576));
  const megabytes = Number(text);
  if (!Number.isInteger(megabytes) || megabytes < 1024)
    throw new ConfigError('HOMEPORT_FUNCTION_MEMORY_MB must be a number of megabytes, 1024 or more.');
  return megabytes;
}

function optionalUrl<K extends string>(env: Environment, name: string, key: K): { [P in K]?: string } {
  const text = env[name];
  if (!text) return {};
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new ConfigError(`${name} must be an http or https address.`);
  return { [key]: text.replace(/(?<!\/)\/+$/, '') } as { [P in K]?: string };
}

/** The operating system's folder for application data (design.md 3). */
function defaultHome(env: Environment): string {
  const user = env['HOME'] || env['USERPROFILE'] || homedir();
  if (platform() === 'darwin') return join(user, 'Library', 'Application Support', 'Homeport');
  if (platform() === 'win32') return join(env['APPDATA'] || join(user, 'AppData', 'Roaming'), 'Homeport');
  return join(env['XDG_DATA_HOME'] || join(user, '.local', 'share'), 'homeport');
}
