import type { DiagnosticsFile, ShellSettings } from '../../server/contract/shell-bridge.ts';
import type { ServerState } from '../../server/contract/shell-messages.ts';
import type { HubStatus } from '../server-process/hub-watch.ts';

interface DiagnosticsFacts {
  /** Names and versions of the app, the system and the parts. */
  about: Record<string, string>;
  server: ServerState;
  hub: HubStatus | undefined;
  settings: ShellSettings;
  /** Names of the logs and the last part of each. */
  logs: ReadonlyArray<{ name: string; text: string }>;
  /** Home folder of this user; its path contains a name. */
  home: string;
}

/** Patterns and their replacements. The order matters, because later patterns are broader. */
const SECRETS: ReadonlyArray<[RegExp, string]> = [
  [/([?&#](?:code|state|token|session_token|access_token|refresh_token|key|secret|signature)=)[^&\s"'#]+/gi, '$1…'],
  [/\b(Bearer|Basic|Token|Digest)\s+[\w+/.=~:-]+/gi, '$1 …'],
  [
    /("?(?:authorization|cookie|set-cookie|password|passphrase|secret|api_?key|client_secret)"?\s*[:=]\s*"?)[^",}\n]+/gi,
    '$1…',
  ],
  [/\bnango_connect_session_[\w-]+/gi, 'nango_connect_session_…'],
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g, '…'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/gi, '…'],
  [/\b(?:sk|pk|rk|ghp|gho|ghs|xox[abp]|glpat)[-_][\w-]{8,}/g, '…'],
  [/[\w+/-]{40,}={0,2}/g, '…'],
  [/(?<![^\s@<>"'()])[^\s@<>"'()]+@[^\s@<>"'()]+/g, '…'],
];
/** Enough to see what happened before a problem. The complete logs are in their folder. */
const LOG_CHARACTERS = 200_000;

/** Files that may be given to someone else, without secrets, e-mail addresses and the name of this user. */
export function diagnosticsFiles(facts: DiagnosticsFacts): DiagnosticsFile[] {
  const { about, home, hub, logs, server, settings } = facts;
  const counts = hub && {
    running: hub.running,
    attention: hub.attention,
    approvals: hub.approvals.length,
    pausedSchedules: hub.pausedSchedules,
    lastFailureAt: hub.lastFailure?.at ?? null,
  };
  const files = [
    { name: 'about.json', text: JSON.stringify(about, null, 2) },
    { name: 'state.json', text: JSON.stringify({ server, hub: counts ?? null }, null, 2) },
    { name: 'settings.json', text: JSON.stringify(settings, null, 2) },
    ...logs.map(({ name, text }) => ({ name, text: text.slice(-LOG_CHARACTERS) })),
  ];
  return files.map(({ name, text }) => ({ name, text: withoutSecrets(text, home) }));
}

/** All files in one text, as it is saved. */
export function diagnosticsText(files: readonly DiagnosticsFile[]): string {
  return files.map(({ name, text }) => `===== ${name} =====\n${text.trimEnd()}\n`).join('\n');
}

function withoutSecrets(text: string, home: string): string {
  const named = home.length > 1 ? text.replaceAll(home, '~').replaceAll(JSON.stringify(home).slice(1, -1), '~') : text;
  return SECRETS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), named);
}
