import { paths } from './paths.ts';
import { APPLICATION_SECTIONS, ENVIRONMENT_SECTIONS, type SettingsSection } from './settings-sections.ts';

/** A setting, or a whole section, that search finds. */
export interface FoundSetting {
  id: string;
  /** As the page shows it. */
  label: string;
  /** The section that holds it, and whose settings these are. */
  hint: string;
  /** Further words that people type for it. */
  words: readonly string[];
  to: string;
}

type Row = readonly [label: string, ...words: string[]];

/** Settings by section, each with the label that the page shows, and synonyms (ui.md 3). */
const OF_ENVIRONMENT: Readonly<Record<string, readonly Row[]>> = {
  general: [
    ['Name', 'rename environment', 'environment name'],
    ['CLI key variable', 'NANGO_SECRET_KEY', 'CLI', 'terminal'],
    ['Colour', 'color', 'bar on top'],
    ['Production', 'live', 'protect', 'safety', 'typed name'],
    ['Log level of functions', 'debug', 'verbose', 'verbosity', 'messages', 'console'],
  ],
  'api-keys': [
    ['API address', 'host', 'base URL', 'endpoint', 'server URL'],
    ['Secret key', 'API key', 'token', 'credential', 'password'],
    ['Use it from an app', 'code', 'SDK', 'client', 'snippet', 'example'],
  ],
  'auth-callback': [
    ['Callback address', 'redirect URI', 'redirect URL', 'OAuth callback', 'return address'],
    ['Functions folder', 'path', 'directory', 'workspace', 'source code'],
  ],
  'connect-ui': [
    ['Theme', 'dark', 'light', 'appearance of the connect page', 'Connect UI'],
    ['Colour on light', 'brand', 'accent', 'color', 'primary colour'],
    ['Colour on dark', 'brand', 'accent', 'color', 'primary colour'],
    ['Say that Homeport made it', 'watermark', 'branding', 'powered by', 'logo'],
    ['Texts', 'wording', 'translations', 'labels', 'strings'],
    ['Title of the list', 'heading', 'wording'],
    ['Text below it', 'description', 'wording'],
    ['Title of an app', 'heading', 'wording'],
    ['Its button', 'connect button', 'wording'],
    ['Title at the end', 'success', 'done', 'wording'],
  ],
  webhooks: [
    ['Primary URL', 'webhook address', 'endpoint', 'destination', 'callback'],
    ['Secondary URL', 'second webhook address', 'endpoint', 'destination'],
    ['Send a webhook when', 'events', 'subscribe', 'triggers', 'notify my app'],
    ['A connection is made, or making it failed', 'auth webhook', 'connection created', 'event'],
    ['A token cannot be refreshed', 'auth webhook', 'refresh failed', 'event'],
    ['A sync ends, also without changes', 'sync webhook', 'always', 'success', 'event'],
    ['A sync fails', 'sync webhook', 'error', 'event'],
    ['A background action ends', 'async action webhook', 'event'],
    ['A connection is deleted', 'deletion webhook', 'removed', 'event'],
    ['Signing key', 'signature', 'HMAC', 'secret', 'verify webhooks', 'rotate'],
    ['More destinations', 'further webhook addresses', 'endpoints', 'fan out'],
  ],
  notifications: [['Notifications', 'alerts', 'quiet hours', 'do not disturb', 'e-mail', 'sound', 'failures in a row']],
  approvals: [
    ['Topic of ntfy', 'phone', 'push', 'approve elsewhere', 'questions', 'approvals', 'webhook'],
    ['Access token', 'ntfy token', 'bearer', 'authorization'],
    ['Links through the public address', 'answer from anywhere', 'phone', 'tunnel'],
  ],
  'public-url': [
    ['Address of the tunnel', 'public URL', 'ngrok', 'cloudflared', 'internet', 'expose', 'reverse proxy'],
  ],
  'function-env-vars': [
    ['Function environment variables', 'env', '.env', 'secrets', 'process.env', 'configuration', 'variables'],
  ],
  retention: [
    ['Delete logs', 'keep logs', 'days', 'clean up', 'how long logs are kept', 'expire'],
    ['Limit logs', 'disk space', 'size', 'quota', 'megabytes'],
    ['Delete webhooks', 'keep webhooks', 'days', 'clean up', 'expire'],
    ['Prune records', 'empty payloads', 'clean up', 'old records', 'privacy'],
    ['Delete records', 'clean up', 'old records', 'unused', 'expire'],
  ],
  advanced: [
    ['Further hosts that callers may reach', 'allowed hosts', 'allowlist', 'whitelist', 'private network', 'proxy'],
    ['Callers and functions may set a base URL', 'base URL override', 'proxy', 'host'],
    ['Agents may build functions', 'agents', 'MCP', 'deploy', 'drafts', 'manage'],
    ['Most API calls per minute', 'rate limit', 'throttle', 'quota', 'requests'],
  ],
  telemetry: [
    ['Endpoint', 'OpenTelemetry', 'OTLP', 'traces', 'export', 'collector', 'Datadog', 'Grafana', 'observability'],
    ['Headers', 'OpenTelemetry', 'OTLP', 'authorization of the collector', 'token'],
  ],
  delete: [['Delete this environment', 'remove environment', 'destroy', 'erase', 'danger']],
};

const OF_COMPUTER: Readonly<Record<string, readonly Row[]>> = {
  general: [
    ['Start-up and window', 'tray', 'autostart', 'launch'],
    ['Opens files of functions', 'editor', 'VS Code', 'IDE', 'Cursor', 'open in'],
    ['Notifications', 'alerts', 'quiet hours', 'sound'],
    ['Signed-in browsers', 'sessions', 'sign out', 'log out', 'devices', 'logout'],
  ],
  environments: [['Order', 'sort environments', 'create environment', 'new environment', 'staging']],
  appearance: [
    ['Theme', 'dark mode', 'light mode', 'night', 'colours', 'look'],
    ['High contrast', 'accessibility', 'readable', 'grey text'],
    ['Row height', 'density', 'compact', 'roomy', 'rows of tables'],
    ['Text size', 'font size', 'zoom', 'bigger', 'smaller', 'letters'],
    ['Reduced motion', 'animations', 'accessibility', 'transitions'],
    ['Dates and numbers', 'language', 'locale', 'format', 'region'],
    ['Clock', '24 hours', '12 hours', 'am', 'pm', 'time format'],
    ['Time zone', 'UTC', 'timezone', 'region', 'local time'],
  ],
  shortcuts: [['Shortcuts without Ctrl or ⌘', 'single keys', 'hotkeys', 'key bindings', 'keyboard']],
  data: [
    ['Backups', 'restore', 'save data', 'copy', 'snapshot'],
    ['Record bodies', 'traffic recording', 'requests', 'responses', 'HAR', 'capture', 'debug'],
    ['Data folder', 'disk', 'database', 'SQLite', 'path', 'directory', 'compact', 'vacuum', 'size'],
    ['Size by table', 'disk', 'space', 'storage'],
  ],
  vault: [
    ['Vault', 'lock', 'unlock', 'encryption', 'state'],
    ['Lock automatically', 'auto lock', 'idle', 'timeout', 'inactivity'],
    ['Master key', 'keychain', 'encryption key', 'rotate', 'password'],
    ['If the key is lost', 'recover', 'reset key', 'forgotten'],
  ],
  network: [
    ['Address of the API', 'host', 'URL', 'localhost', 'server'],
    ['By name', 'localhost', 'host name'],
    ['Port', '3003', 'listen', 'bind'],
    ['Other computers', 'LAN', 'network access', 'firewall', 'remote', 'bind address'],
    ['Public address', 'tunnel', 'internet', 'expose'],
    ['Served there', 'public routes', 'internet', 'tunnel'],
  ],
  updates: [['Desktop app', 'version', 'upgrade', 'release', 'check for updates', 'automatic updates']],
  about: [
    ['Version', 'release', 'build'],
    ['API description', 'OpenAPI', 'swagger', 'documentation'],
    ['Diagnostics', 'support', 'report', 'bug', 'help', 'troubleshoot', 'logs of the program'],
    ['Licences', 'licenses', 'open source', 'packages', 'legal', 'third party'],
  ],
};

/** Settings that only the desktop app has; a browser shows why. */
const OF_DESKTOP: readonly Row[] = [
  ['Start when I sign in to this computer', 'autostart', 'launch at login', 'boot', 'start-up'],
  ['Closing the last window', 'quit', 'tray', 'background', 'minimize'],
  ['Pause schedules on battery', 'power', 'laptop', 'energy'],
  ['Shortcut of the quick panel', 'global hotkey', 'key', 'keyboard'],
  ['Command line', 'CLI', 'terminal', 'install homeport', 'shell', 'PATH'],
];

/** Every section and setting, of an environment and of this computer. */
export function listSettings(env: string, isDesktop: boolean): FoundSetting[] {
  const general = [...(OF_COMPUTER['general'] ?? []), ...(isDesktop ? OF_DESKTOP : [])];
  return [
    ...ENVIRONMENT_SECTIONS.flatMap((section) =>
      ofSection(section, OF_ENVIRONMENT[section.id] ?? [], {
        whose: `Settings of ${env}`,
        address: (label) =>
          label === undefined ? paths.settings(env, section.id) : paths.setting(env, section.id, label),
      }),
    ),
    ...APPLICATION_SECTIONS.flatMap((section) =>
      ofSection(section, section.id === 'general' ? general : (OF_COMPUTER[section.id] ?? []), {
        whose: 'Settings of Homeport',
        address: (label) => paths.appSettings(section.id, label),
      }),
    ),
  ];
}

function ofSection(
  section: SettingsSection,
  rows: readonly Row[],
  { whose, address }: { whose: string; address: (label?: string) => string },
): FoundSetting[] {
  const whole: FoundSetting = {
    id: `settings:${address()}`,
    label: section.label,
    hint: whose,
    words: [address()],
    to: address(),
  };
  return [
    whole,
    ...rows
      .filter(([label]) => label !== section.label)
      .map(([label, ...words]) => ({
        id: `settings:${address(label)}`,
        label,
        hint: `${whose}, ${section.label}`,
        words,
        to: address(label),
      })),
    // A section with one setting of the same name is found by the words of both.
  ].map((found) =>
    found === whole
      ? { ...whole, words: [...whole.words, ...(rows.find(([label]) => label === section.label)?.slice(1) ?? [])] }
      : found,
  );
}
